package io.bloomguard.bench;

import io.bloomguard.bench.attack.Attack;
import io.bloomguard.bench.attack.ShopDatabase;
import java.util.List;
import java.util.Map;

/** The shop of {@link AttackTable} with a database that is not free. */
@Suite(
    order = 2,
    title = "A shop under attack, its database a millisecond away",
    brief =
        """
        The same with a database that is not free: a row of five million by its text key, in a PostgreSQL that is a millisecond away, as in another zone. With 10
        connections, no shop can look up more than 10,000 rows a second.
        """,
    shown = "load=highest",
    columns = {
      "contestant",
      "answered",
      "p99Millis",
      "cpuMicros",
      "redisCommands",
      "queries",
      "falseAbsent"
    },
    text =
        """
        As before, but for the database: a row of five million is read by its text key (16 characters, the primary key), and PostgreSQL
        is a millisecond away, as in another zone. The table does not fit into PostgreSQL's buffers (128 MB), but into the memory of the
        machine. A relay hands on each piece of data half a millisecond later, each way, and has any number of them under way. It runs on
        the core of the load, and its time is a part of `generatorShare`. The filters are for ten million ids. Ours are here by method alone,
        since a request that they deny asks no database.

        Ten connections, a millisecond each: no shop can look up more than 10,000 rows a second, whatever a lookup costs.
        """,
    plots =
        @Suite.Plot(
            title =
                "Database a millisecond away: requests a second that one core bears with a p99"
                    + " below 100 ms",
            where = "load=highest",
            of = "answered",
            horizontal = true))
final class FarAttackTable implements FigureTable {

  @Override
  public List<Map<String, Object>> rows() {
    return Attack.rows(ShopDatabase.FAR, BenchForm.isShort());
  }
}
