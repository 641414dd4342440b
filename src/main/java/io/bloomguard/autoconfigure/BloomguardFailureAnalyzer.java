package io.bloomguard.autoconfigure;

import io.bloomguard.aop.GuardedMethodException;
import io.bloomguard.web.InvalidWebRuleException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;

/** Says at a failed start which setting or which method is wrong, why, and what to do. */
class BloomguardFailureAnalyzer implements FailureAnalyzer, Ordered {

  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidBloomguardSettingException setting) {
        return new FailureAnalysis(message(setting), setting.action(), failure);
      }
      if (cause instanceof GuardedMethodException method) {
        return new FailureAnalysis(method.description(), method.action(), failure);
      }
      if (cause instanceof InvalidWebRuleException rule) {
        return new FailureAnalysis(rule.description(), rule.action(), failure);
      }
    }
    return null;
  }

  private static String message(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /** Before Boot's own analyzer of binding failures, which would print the stack of causes. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }
}
