package io.bloomguard.bench;

import io.bloomguard.bench.attack.Attack;
import io.bloomguard.bench.attack.ShopDatabase;
import java.util.List;
import java.util.Map;

/** A shop under attack, end to end, with the guard, with others, and without any. */
@Suite(
    order = 1,
    title = "A shop under attack",
    brief =
        """
        One shop on Spring MVC, PostgreSQL and Redis. Of a hundred requests 90 ask for an absent id, each for another one, 9 for one of 1,000 hot ids, and 1 for
        an id that was inserted just before. Shop, PostgreSQL and Redis share one core; the load comes from the other. `answered` is the highest
        rate, in steps of 5 %, at which every request is answered and the p99 is at most 100 ms. `cpuMicros` is the processor time of the shop for a request,
        `queries` are lookups in the database for 1,000 requests, `falseAbsent` are ids that were there and got a 404.

        **The setting favours no guard.** The table fits into memory, the row is found by its primary key, and PostgreSQL has no other work: no
        query is cheaper. A check in Redis costs as much as such a query, so a guard in Redis without a copy bears few more requests than none here; it
        spares the database 99 in 100 queries, whatever they cost.
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
        One shop on Spring MVC, PostgreSQL and Redis: `GET /products/{id}` reads a row of 100,000 by its key, `POST` inserts one.
        `src/it/contestants` has a module for each contestant, which says how a product is found. All else is the same: JDK, heap
        (512 MB, Serial GC), 64 threads of Tomcat, 10 connections to PostgreSQL, a Redis without persistence, lifetimes of ten minutes
        for values and 30 s for nulls. Shop, PostgreSQL and Redis share one core; the load comes from the other.

        **The mix.** Of a hundred requests 90 ask for an absent id, 9 for one of 1,000 hot ids, and 1 for an id that was inserted just
        before. An absent id comes once: against ids that repeat, a cached null suffices. Each new id is asked for, inserted once its
        404 is there, in the contestant's own way, and asked for again; `falseAbsent` counts every 404 for an id that was there.

        **The load** is an open loop over 64 connections that are kept alive: a request is due at its time, whatever became of those
        before it, and its latency counts from then, a wait for a connection included. `highest` is the highest rate, in steps of 5 %,
        at which every request is answered, the p99 is at most 100 ms and at most one answer in a thousand is an error; it is found by
        loads of 2 s and measured for 6 s. Where it is not borne for so long, the next tries are 5, 14 and 29 % below the first, so that a
        figure may lie somewhat below what could be borne. `common` is 1,000 requests a second for 8 s. Before, on
        both cores so that the compiler keeps up, each hot id is asked for twice and the mix sent for 14 s without a pause and 4 s at the
        common rate; then for 14 s without a pause on one core, where much is compiled once more. The generator (`LoadGenerator`) is one thread with HdrHistogram, so that it fits on a core
        and can ask for the ids that it inserted; `generatorShare` is its share of that core, `latenessMillis` the p99 of the time by which it
        noticed late that a request was due. Both show whether a figure is the generator's.

        **The figures.** `cpuMicros` is the processor time (user and system) of the shop's process for a request, `backendMicros` that of
        PostgreSQL and Redis; `queries` are lookups in the database for 1,000 requests; `redisCommands` are for a request, those inside of
        scripts too. The inserts, one for a hundred requests, are in these figures and not in rate and latency. At 1,000 requests a
        second a process that is mostly idle spends more on each, and the compiler may still be at work.

        **What the setting favours.** The table fits into memory, the row is found by its primary key, and PostgreSQL has no other work: no
        query is cheaper. A check in Redis costs as much as such a query, so a guard in Redis without a copy bears few more requests than none here; it
        spares the database 99 in 100 queries, whatever they cost.

        **The contestants**, each as its own documents recommend:

        - `no guard`: a query for every request, and no cache.
        - `@Cacheable with nulls`: Spring's cache on Redis, a `TtlFunction` for nulls, `@CacheEvict` on the insert.
        - `JetCache`: `@Cached` in Redis with `cacheNullValue`, `@CachePenetrationProtect`, `@CacheInvalidate` on the insert. It has one lifetime for
          values and nulls: ten minutes. Its list of tested versions ends with Spring Boot 3.2; it runs on the newest 3.x.
        - `Redisson's filter`: an `RBloomFilter` for 200,000 ids at 0.1 %, filled before the shop serves, asked by hand before the cache of
          `@Cacheable with nulls`, and added to before the insert.
        - `bloomguard`: a filter for 200,000 ids at 0.1 %, `@BloomPut` on the insert, defaults else, with their verification of rejections. `local` and
          `redis` are backends; `without a copy` is `redis` with `replica.enabled: false`, `without a cache` has `caching = NONE`, so that the values of
          `local` and of `redis` come from the same place, the table. `method` is
          `@BloomGuarded` on the service, which returns null; `throw` has `onAbsent = THROW` there; `rule` is a path rule before `method`.
        """,
    plots = {
      @Suite.Plot(
          title = "Requests a second that one core bears with a p99 below 100 ms",
          where = "load=highest",
          of = "answered",
          horizontal = true),
      @Suite.Plot(
          title = "Processor time of a request in microseconds: the shop, at its highest rate",
          where = "load=highest",
          of = "cpuMicros",
          horizontal = true)
    })
final class AttackTable implements FigureTable {

  @Override
  public List<Map<String, Object>> rows() {
    return Attack.rows(ShopDatabase.NEAR, BenchForm.isShort());
  }
}
