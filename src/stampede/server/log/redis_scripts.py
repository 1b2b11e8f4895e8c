"""What Redis itself does for the log: scripts, each of which it runs as one step.

Keys are `{prefix}{{stream}}:log`. An entry's id is Redis' own time in milliseconds plus `{prefix}clock`, the time by
which that clock was ever set back, and a sequence number below 2^20.
"""

from hashlib import sha1
from typing import Final, NamedTuple


class Script(NamedTuple):
    """A script, and the name under which Redis knows it once it was loaded."""

    text: bytes
    name: bytes


def _script(text: str) -> Script:
    return Script(text.encode(), sha1(text.encode(), usedforsecurity=False).hexdigest().encode())


_LAST: Final = """
local function last_id(key)
  local rows = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)
  if rows[1] then return rows[1][1] end
  if redis.call('EXISTS', key) == 0 then return '0-0' end
  local info = redis.call('XINFO', 'STREAM', key)
  for at = 1, #info, 2 do
    if info[at] == 'last-generated-id' then return info[at + 1] end
  end
end
"""

# A step back of less than a second lets the clock of the streams stand still until it is caught up with; after a
# longer one their clock goes on from where it was.
APPEND: Final = _script(
    _LAST
    + """
local key, channel, cursor = KEYS[1], ARGV[1], ARGV[2]
local before = last_id(key)
local missed = {}
if cursor ~= '' and cursor ~= before then missed = redis.call('XRANGE', key, cursor, '+', 'COUNT', 500) end
local before_ms, before_number = before:match('^(%d+)-(%d+)$')
before_ms, before_number = tonumber(before_ms), tonumber(before_number)
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(redis.call('GET', KEYS[2]) or '0')
if ms < before_ms then
  if before_ms - ms > 1000 then redis.call('INCRBY', KEYS[2], string.format('%.0f', before_ms - ms)) end
  ms = before_ms
end
local number = 0
if ms == before_ms then number = before_number + 1 end
local places = {struct.pack('>I8I4I4', before_ms, before_number, #ARGV - 2)}
for at = 3, #ARGV do
  if number >= 1048576 then ms, number = ms + 1, 0 end
  redis.call('XADD', key, string.format('%.0f-%.0f', ms, number), 'f', ARGV[at])
  places[#places + 1] = struct.pack('>I8I4I4', ms, number, #ARGV[at])
  number = number + 1
end
places = table.concat(places)
redis.call('PUBLISH', channel, places .. table.concat(ARGV, '', 3))
return {places, missed}
"""
)
"""KEYS log, clock; ARGV channel, the id of the last entry that the caller has or nothing, facts.

Publishes places and facts (see `redis_entries.Arrival`). Answers the places, and the entries between what the caller
has and the new ones, beginning with that.
"""

READ: Final = _script(
    _LAST
    + """
return {last_id(KEYS[1]), redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])}
"""
)
"""KEYS log; ARGV the id to begin with, how many. Answers the last id there ever was, and entries."""

# The clock of the streams passes the last id: were it behind, the next entry would get that one, or one before it.
DELETE: Final = _script(
    _LAST
    + """
local last_ms, last_number = last_id(KEYS[1]):match('^(%d+)-(%d+)$')
last_ms, last_number = tonumber(last_ms), tonumber(last_number)
if redis.call('DEL', KEYS[1]) == 0 then return end
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(redis.call('GET', KEYS[2]) or '0')
if ms <= last_ms then redis.call('INCRBY', KEYS[2], string.format('%.0f', last_ms - ms + 1)) end
redis.call('PUBLISH', ARGV[1], struct.pack('>I8I4I4', last_ms, last_number, 0))
"""
)
"""KEYS log, clock; ARGV channel. Publishes the place of the last entry, and that none follows it."""

TIME: Final = _script("""
local time = redis.call('TIME')
return {time[1], time[2], redis.call('GET', KEYS[1]) or '0'}
""")
"""KEYS clock. Answers seconds, microseconds, and the milliseconds to add."""

BEAT: Final = _script("""
local now = redis.call('TIME')[1] * 1000
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
""")
"""KEYS nodes; ARGV node, milliseconds after which a silent one is taken for dead."""

NODES: Final = _script("""
return redis.call('ZRANGEBYSCORE', KEYS[1], redis.call('TIME')[1] * 1000 - ARGV[1], '+inf')
""")
"""KEYS nodes; ARGV milliseconds."""

ALL: Final = (APPEND, READ, DELETE, TIME, BEAT, NODES)
