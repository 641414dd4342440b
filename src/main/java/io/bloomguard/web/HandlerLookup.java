package io.bloomguard.web;

import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/**
 * A handler method that is a guarded lookup, and throws for a key that the filter rejects.
 *
 * @param filter the filter's name
 * @param parameter the index of the parameter that is the key
 * @param caller the method, for the log
 */
public record HandlerLookup(String filter, int parameter, String caller) {

  /** Finds the lookups among handler methods. */
  @FunctionalInterface
  public interface Finder {

    /**
     * {@return the lookup that the method is; null if it is not guarded}
     *
     * @param handler the method that serves the request
     * @throws NotDecidedException if it is guarded, and must decide by itself
     */
    @Nullable HandlerLookup find(HandlerMethod handler) throws NotDecidedException;
  }

  /** A guarded handler method for which the servlet filter does not decide, with the reason. */
  public static final class NotDecidedException extends Exception {

    private static final long serialVersionUID = 1L;

    /**
     * The reason for the log.
     *
     * @param reason why the method must decide by itself, null if it is not told
     */
    public NotDecidedException(@Nullable String reason) {
      super(reason);
    }
  }
}
