package io.bloomguard.bench;

import io.bloomguard.bench.attack.Attack;
import java.util.List;
import java.util.Map;

/** The incident that is told of caches of nulls, replayed beside ours. */
@Suite(
    order = 3,
    title = "A flood of bots",
    brief =
        """
        An incident that is often told: bots ask for keys that do not exist, 50,000 a second, and the Redis of a cache that keeps nulls grows from 2
        to 14 GB. Here it is replayed at a fifth of the rate, for one core: 9,888 bots a second, each for a key of its own, from second 30 to 270,
        beside 1,222 requests of users. That is more than the cache of nulls bears (the first table), so that its users wait behind the bots; ours
        bears it. Nulls live for five minutes in both, and both keep the users' new products, 111 a second. `usersInTimePercent` is the share of
        users' requests with a right answer within 100 ms. The rows are those at the end of the flood.
        """,
    shown = "second=270",
    columns = {
      "contestant",
      "redisMiB",
      "queriesPerSecond",
      "usersInTimePercent",
      "answersPerSecond"
    },
    text =
        """
        In a published account, 50,000 requests a second for keys that do not exist met a cache that keeps nulls, and its Redis grew from 2 to 14 GB.
        This is the same on the shop of the attack, with its near database, on one core and at a fifth of the rate: 9,888 bots a second, each for an
        id of its own. The cache of nulls does not bear that, ours does; the tables above have what each bears. The picture takes five minutes: users
        alone, 1,222 requests a second, the bots besides from second 30 to 270, then users alone again. Together they are the mix of the attack; the
        id that is about to be inserted is a user's.

        Nulls live for five minutes in both caches, the most that articles on penetration advise, and values for ten; Redis has no `maxmemory`. Users
        and bots share the 64 connections, as behind a proxy, and a client that has waited for a second for one gives up. So the users of a shop that
        does not keep up all wait for about a second, and none has an answer in time. `usersInTimePercent` is the share of users' requests with a
        right answer within 100 ms, `redisMiB` the memory that Redis uses, `queriesPerSecond` the lookups in the database, `answersPerSecond` all
        answers, those to bots too. The users' new products, 111 a second, are kept as values in both caches.
        """,
    plots =
        @Suite.Plot(
            title = "A flood of bots from second 30 to 270",
            against = "second",
            of = {"redisMiB", "queriesPerSecond", "usersInTimePercent"}))
final class BotFloodTable implements FigureTable {

  @Override
  public List<Map<String, Object>> rows() {
    return Attack.flood(BenchForm.isShort());
  }
}
