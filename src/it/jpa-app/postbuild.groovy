evaluate(new File(basedir, '../../../src/it/summary.groovy'))
// Local and in Redis, with one mode of caching or with all three.
assert fuzzRuns == (thorough.toBoolean() ? 6 : 2)
