package io.bloomguard.it.faults;

import io.bloomguard.it.support.RedisProcess;
import io.bloomguard.it.support.WallClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The Redis of a run, in one of its forms. */
abstract class Redis implements AutoCloseable {

  /** What all keys of the first and only partition of filter {@code products} begin with. */
  static final String PARTITION = "bloomguard:{products:0}:";

  /** Spring's properties that lead to it. */
  abstract List<String> properties();

  /** The same for one of the shops under traffic, which may have a way of its own. */
  List<String> properties(int shop) {
    return properties();
  }

  /** Whether its servers are the embedded Redis, whose version is known. */
  boolean isEmbedded() {
    return RedisProcess.isEmbedded();
  }

  /** A wall clock for a process, where faults put the clocks; else null. */
  WallClock newClock(String process) throws IOException {
    return null;
  }

  /** The process that serves the partition of {@code products} now. */
  abstract RedisProcess partition() throws IOException;

  Object call(Object... words) throws IOException {
    return partition().call(words);
  }

  /** The key of the image that serves. */
  String image() throws IOException {
    Object serving = call("HGET", PARTITION + "head", "serving");
    if (serving == null) {
      throw new IOException("No image serves");
    }
    return PARTITION + "image:" + serving;
  }

  /** Every key on that server whose name begins like this. */
  List<String> keys(String beginning) throws IOException {
    List<String> keys = new ArrayList<>();
    for (Object key : (List<?>) call("KEYS", beginning + "*")) {
      keys.add((String) key);
    }
    return keys;
  }
}
