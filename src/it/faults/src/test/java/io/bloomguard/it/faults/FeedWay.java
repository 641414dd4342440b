package io.bloomguard.it.faults;

import java.util.ArrayList;
import java.util.List;

/** The way on which the changes that a program commits come to the shops. */
interface FeedWay extends AutoCloseable {

  /** What a shop is told of it, for all of {@link FeedWorld#FILTERS}. */
  List<String> arguments(int shop);

  /** Takes a change that has been committed. */
  void committed(Rows.Change change) throws InterruptedException;

  @Override
  void close() throws Exception;

  /** The ways that there are. */
  enum Kind {
    KAFKA,
    DATABASE;

    FeedWay open() throws Exception {
      return this == KAFKA ? new Connector() : new OwnLog();
    }
  }

  /**
   * The database's log, read by the shops: for a filter on the heap by each, from a slot of its
   * own.
   */
  final class OwnLog implements FeedWay {

    @Override
    public List<String> arguments(int shop) {
      List<String> arguments = new ArrayList<>();
      for (String filter : FeedWorld.FILTERS) {
        String changes = "--bloomguard.filters." + filter + ".source.changes.";
        arguments.add(changes + "from=database");
        arguments.add(changes + "table=public.items");
      }
      arguments.add("--bloomguard.filters.near.source.changes.slot=near_" + shop);
      return arguments;
    }

    /** The log has it. */
    @Override
    public void committed(Rows.Change change) {}

    @Override
    public void close() {}
  }
}
