-- Takes a writer that ends off the list: nobody need wait for it. KEYS: writers. ARGV: the writer.
-- Answers ok.
if redis.call('TYPE', KEYS[1]).ok == 'hash' then redis.call('HDEL', KEYS[1], ARGV[1]) end
return {'ok'}
