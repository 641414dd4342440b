package io.bloomguard.it.soak;

import io.bloomguard.it.support.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What is done to Redis and to the sources, one thing after the other. */
final class Faults {

  /** How long a fault lasts, and how long it is over before the next begins. */
  private static final long LASTING_MILLIS = 7_000;

  private static final long BETWEEN_MILLIS = 7_000;

  /** So long after one, Redis may lack what it had been told. */
  private static final long RECENT_SECONDS = 15;

  private enum Kind {
    SLOW,
    HUNG,
    DEAD,
    HUNG_SOURCES,
    HUNG_RECENT
  }

  private final RedisProcess redis;
  private final List<Jvm> applications;
  private final Tally tally;
  private final Random random;
  private volatile boolean underWay;
  private volatile long ended = System.nanoTime() - TimeUnit.HOURS.toNanos(1);

  Faults(RedisProcess redis, List<Jvm> applications, Tally tally, long seed) {
    this.redis = redis;
    this.applications = applications;
    this.tally = tally;
    this.random = new Random(seed);
  }

  /** Whether one was under way until a moment ago. */
  boolean areRecent() {
    return underWay || System.nanoTime() - ended < TimeUnit.SECONDS.toNanos(RECENT_SECONDS);
  }

  /** Makes whole rounds of faults, each kind once in each, for that long at least. */
  void run(Duration time) throws Exception {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      round();
    }
  }

  /** Each kind once. */
  void round() throws Exception {
    List<Kind> kinds = new ArrayList<>(List.of(Kind.values()));
    Collections.shuffle(kinds, random);
    for (Kind kind : kinds) {
      one(kind);
    }
  }

  private void one(Kind kind) throws Exception {
    tally.count("fault", kind);
    underWay = true;
    try {
      make(kind);
    } finally {
      Gate.SOURCE.open();
      Gate.RECENT.open();
      ended = System.nanoTime();
      underWay = false;
    }
    TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
  }

  private void make(Kind kind) throws Exception {
    switch (kind) {
      case SLOW -> slow();
      case HUNG -> {
        redis.suspend();
        try {
          last();
        } finally {
          redis.resume();
        }
      }
      case DEAD -> dead();
      case HUNG_SOURCES -> {
        Gate.SOURCE.close();
        for (Jvm application : applications) {
          tally.count("rebuild, source hangs", Callers.rebuild(application, "stalled-a"));
          tally.count("rebuild, source hangs", Callers.rebuild(application, "stalled-b"));
          tally.count("rebuild, source hangs", Callers.rebuild(application, "things"));
        }
        last();
      }
      case HUNG_RECENT -> {
        Gate.RECENT.close();
        redis.call("DEL", "bloomguard:{things:0}:journal");
        last();
      }
    }
  }

  private static void last() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(LASTING_MILLIS);
  }

  /** Answers in up to 200 ms: some in time, some not. */
  private void slow() throws Exception {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LASTING_MILLIS);
    while (System.nanoTime() < end) {
      redis.call("CLIENT", "PAUSE", 50 + random.nextInt(250));
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  /** Comes back empty, or from an old dump. */
  private void dead() throws Exception {
    redis.deleteDump();
    if (random.nextBoolean()) {
      redis.call("SAVE");
      TimeUnit.MILLISECONDS.sleep(1_000);
    }
    redis.kill();
    last();
    redis.start();
  }
}
