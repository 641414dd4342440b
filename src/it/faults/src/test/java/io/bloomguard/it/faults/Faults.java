package io.bloomguard.it.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** All faults there are. */
final class Faults {

  private Faults() {}

  static List<Fault> all() {
    List<Fault> all = new ArrayList<>();
    all.addAll(KeyFaults.all());
    all.addAll(NetworkFaults.all());
    all.addAll(ProcessFaults.all());
    all.addAll(TransactionFaults.all());
    all.addAll(RebuildFaults.all());
    all.addAll(ServerFaults.all());
    // What they change stays changed: they come last.
    all.addAll(ChangeFaults.all());
    return all;
  }

  /** Those on one form of Redis whose name has what {@code only} describes. */
  static List<Fault> on(Fault.Where where, boolean full, Pattern only) {
    return all().stream()
        .filter(fault -> fault.where() == where)
        .filter(fault -> (full ? fault.inFull() : fault.inShort()) > 0)
        .filter(fault -> only.matcher(fault.name()).find())
        .toList();
  }

  static Redis redis(Fault.Where where) throws Exception {
    return switch (where) {
      case STANDALONE -> new StandaloneRedis();
      case SENTINEL -> new SentinelRedis();
      case CLUSTER -> new ClusterRedis();
    };
  }
}
