# One image for every node. Build: docker build -t stampede .    Run: docker run -p 7117:7117 -v stampede:/data stampede
ARG PYTHON=3.13-slim-trixie

FROM python:${PYTHON} AS build
# A compiler for the solver's hot part; it stays behind in this stage, so its version need not be fixed.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/stampede \
    && /opt/stampede/bin/pip install --no-cache-dir --constraint requirements.lock ".[redis,fast]" \
    && /opt/stampede/bin/python -m stampede.patience.solver.compiled.build

FROM python:${PYTHON}
# A fixed number, so that whoever owns a volume can be told beforehand.
RUN groupadd --system --gid 10117 stampede \
    && useradd --system --uid 10117 --gid 10117 --home-dir /data --no-create-home --shell /usr/sbin/nologin stampede \
    && install --directory --owner 10117 --group 10117 --mode 0700 /data
COPY --from=build /opt/stampede /opt/stampede
ENV PATH=/opt/stampede/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STAMPEDE_HOST=0.0.0.0 \
    STAMPEDE_LOG=sqlite:/data/stampede.db
USER 10117:10117
WORKDIR /data
VOLUME /data
EXPOSE 7117
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 CMD ["stampede-server", "health"]
ENTRYPOINT ["stampede-server"]
