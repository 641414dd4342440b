package io.bloomguard.it.faults;

import java.util.ArrayList;
import java.util.Comparator;
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
    all.addAll(RemovalFaults.all());
    all.addAll(ServerFaults.all());
    all.addAll(SourceFaults.all());
    all.addAll(ImageFaults.all());
    all.addAll(ApplicationFaults.all());
    all.addAll(ChangeFaults.all());
    all.addAll(CopyFaults.all());
    all.addAll(ClockFaults.all());
    return all;
  }

  /**
   * Those on one form of Redis whose name has what {@code only} describes, in the order of a seed:
   * what one leaves to another shows in one order or the next. Those that change the filter come
   * after the others, in an order of their own, because what they change stays changed.
   */
  static List<Fault> on(Fault.Where where, boolean full, Pattern only, long seed) {
    return all().stream()
        .filter(fault -> fault.where() == where)
        .filter(fault -> (full ? fault.inFull() : fault.inShort()) > 0)
        .filter(fault -> only.matcher(fault.name()).find())
        .sorted(
            Comparator.comparing(Fault::changesFilter).thenComparing(fault -> fault.place(seed)))
        .toList();
  }

  static Redis redis(Fault.Where where) throws Exception {
    return switch (where) {
      case STANDALONE -> new StandaloneRedis();
      case CLOCKS -> new StandaloneRedis.WithClock();
      case SENTINEL -> new SentinelRedis();
      case CLUSTER -> new ClusterRedis();
    };
  }
}
