package io.bloomguard.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Copies in other processes that lack every add until they are told of it: at once, or later. */
public final class SlowCopies {

  private final List<CompletableFuture<Void>> held = new CopyOnWriteArrayList<>();
  private volatile boolean holds;
  private volatile Consumer<String> listener = filter -> {};

  /** Calls {@code told} with the name of the filter whenever a writer begins to wait. */
  public void whenWaited(Consumer<String> told) {
    listener = told;
  }

  /** Copies get no add until {@link #tell}. */
  public void hold() {
    holds = true;
  }

  /** Tells the copies of all adds, and of later ones at once. */
  public void tell() {
    holds = false;
    held.forEach(wait -> wait.complete(null));
  }

  /** Forgets what the test has set. */
  public void clear() {
    tell();
    held.clear();
    listener = filter -> {};
  }

  /** How many waits are under way. */
  public long waiting() {
    return held.stream().filter(wait -> !wait.isDone()).count();
  }

  /** The add that copies lack. */
  public PendingAdd add(String filter, boolean[] isNew) {
    return new PendingAdd(isNew, new ArrayList<>(List.of(new Wait(filter))));
  }

  private final class Wait implements PendingAdd.Wait {

    private final String filter;
    private final CompletableFuture<Void> told = new CompletableFuture<>();
    private boolean begun;

    Wait(String filter) {
      this.filter = filter;
    }

    @Override
    public CompletionStage<?> told() {
      if (!begun) {
        begun = true;
        held.add(told);
        listener.accept(filter);
        if (!holds) {
          told.complete(null);
        }
      }
      return told;
    }

    @Override
    public boolean includes(PendingAdd.Wait earlier) {
      return earlier instanceof Wait other && other.filter.equals(filter);
    }
  }
}
