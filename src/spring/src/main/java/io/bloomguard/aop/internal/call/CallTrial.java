package io.bloomguard.aop.internal.call;

import io.bloomguard.guard.Findings;
import io.bloomguard.guard.Trial;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The trial of one call whose answer comes later, if the call has a trial. */
final class CallTrial implements Consumer<Trial> {

  /** That of a call that is no trial. */
  static final CallTrial NONE = new CallTrial(Findings.PLAIN);

  private final Findings findings;
  private volatile @Nullable Trial trial;

  CallTrial(Findings findings) {
    this.findings = findings;
  }

  @Override
  public void accept(Trial given) {
    trial = given;
  }

  boolean isNone() {
    return trial == null;
  }

  /** Ends the trial with the answer; null for no value. */
  void answered(@Nullable Object content) {
    ended(content, null);
  }

  /** Ends the trial with the failure of the call. */
  void failed(Throwable failure) {
    ended(null, failure);
  }

  /** Ends the trial with the answer, or with the failure. */
  void ended(@Nullable Object content, @Nullable Throwable failure) {
    Trial given = trial;
    if (given != null) {
      given.end(findings.of(content, failure), false);
    }
  }
}
