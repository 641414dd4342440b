package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.AuditLog;
import io.bloomguard.actuate.internal.Caller;
import io.bloomguard.actuate.internal.OperatedFilter;
import io.bloomguard.actuate.internal.OperatedFilters;
import io.bloomguard.filter.InvalidKeyException;
import io.bloomguard.generation.ClearRefusedException;
import io.bloomguard.generation.KeyExplanation;
import io.bloomguard.generation.RebuildTrigger;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.SubjectFilters;
import io.bloomguard.generation.internal.build.RebuildRefusedException;
import io.bloomguard.guard.Enforcement;
import io.bloomguard.guard.FilterMode;
import io.bloomguard.guard.UnknownFilterException;
import io.bloomguard.guard.internal.Subjects;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The endpoint {@code bloomfilters}: how filters stand, and what an operator does with them.
 *
 * <p>It never creates a filter. Writes are off unless {@code
 * management.endpoint.bloomfilters.access} is {@code unrestricted}.
 */
@RegisterReflectionForBinding(KeyExplanation.Bit.class)
@Endpoint(id = "bloomfilters", defaultAccess = Access.READ_ONLY)
public class BloomFiltersEndpoint {

  /** The one thing of a filter that can be deleted. */
  static final String REBUILD = "rebuild";

  static final String EXPLAIN = "explain";
  private static final String CLEAR = "clear";
  private static final String ARM = "arm";

  private static final String ACTIONS =
      ": it must be one of arm, disarm, observe, enforce, clear, rebuild, rollback and explain";

  /** Why a fed filter may have no older generation. */
  private static final String NOT_KEPT =
      "; one from before its feed of changes last began without a position is not kept, because it"
          + " lacks changes: rebuild the filter";

  private final OperatedFilters filters;

  /**
   * The endpoint over all filters of an application.
   *
   * @param filters the filters as operators see them
   */
  public BloomFiltersEndpoint(OperatedFilters filters) {
    this.filters = filters;
  }

  /** {@return the filters by name, in the order of their configuration} */
  @ReadOperation
  public Filters filters() {
    Map<String, Map<String, Object>> all = new LinkedHashMap<>();
    for (OperatedFilter filter : filters.all()) {
      all.put(filter.name(), EndpointAnswer.of(filter));
    }
    return new Filters(all);
  }

  /**
   * {@return the members of the JSON that describes one filter, or null if no such filter is
   * configured}
   *
   * @param name the filter's name
   */
  @ReadOperation
  public @Nullable Map<String, Object> filter(@Selector String name) {
    return described(name);
  }

  @Nullable EndpointAnswer described(String name) {
    return filters.find(name).map(EndpointAnswer::of).orElse(null);
  }

  /**
   * Rebuilds a filter, serves its generation before this one again, explains a key, or says whether
   * rejections take effect: {@code disarm} ends them, as a wrong one does, {@code arm} lets them
   * take effect again, {@code observe} and {@code enforce} set the mode. {@code clear} takes every
   * key out of a filter that other programs share.
   *
   * @param name the filter's name
   * @param action {@code rebuild}, {@code rollback}, {@code explain}, {@code arm}, {@code disarm},
   *     {@code observe}, {@code enforce} or {@code clear}
   * @param key the key to explain, null for other actions
   * @param force whether to publish the rebuild however few keys it reads, or to arm a filter that
   *     still lacks keys that it has rejected wrongly, or one without a source whose content in
   *     Redis is another than before; null for false, and for other actions
   * @param subject whose filter explains the key, where there is one for each subject, else null
   * @param confirm the name of the filter once more, to clear it; null for other actions
   * @return the explanation of a key; of a change: {@code run}, {@code generation}, {@code state}
   *     and {@code mode}, or {@code strings}
   * @throws UnknownFilterException if no such filter is configured
   * @throws IllegalArgumentException if the action is unknown, or an argument missing or wrong
   * @throws InvalidKeyException if the key breaks a rule
   * @throws RebuildRefusedException if the rebuild is not started
   * @throws ConflictException if there is nothing to roll back to, or the filter must not be armed
   * @throws ClearRefusedException if the filter must not be cleared
   * @throws StoreUnavailableException if the store of the filter is out of reach
   */
  @WriteOperation
  public OperationResponseBody act(
      @Selector String name,
      @Nullable String action,
      @Nullable String key,
      @Nullable Boolean force,
      @Nullable String subject,
      @Nullable String confirm) {
    return act(Caller.JMX, name, action, key, force, subject, confirm);
  }

  OperationResponseBody act(
      Caller caller,
      String name,
      @Nullable String action,
      @Nullable String key,
      @Nullable Boolean force,
      @Nullable String subject,
      @Nullable String confirm) {
    OperatedFilter operated = filters.find(name).orElseThrow(() -> unknown(name));
    if (action == null) {
      throw new IllegalArgumentException("'action' is missing" + ACTIONS);
    }
    requireArgumentOf(action, "force", force, ARM, REBUILD);
    requireArgumentOf(action, "subject", subject, EXPLAIN);
    requireArgumentOf(action, "confirm", confirm, CLEAR);
    boolean forced = force != null && force;
    Supplier<EndpointAnswer> change =
        switch (action) {
          case REBUILD -> () -> rebuild(operated, forced);
          case "rollback" -> () -> rollback(operated);
          case CLEAR -> () -> clear(operated, confirm);
          case ARM -> () -> switched(operated, to -> arm(operated, to, forced));
          case "disarm" -> () -> switched(operated, Enforcement::disarm);
          case "observe" -> () -> switched(operated, to -> to.mode(FilterMode.OBSERVE));
          case "enforce" -> () -> switched(operated, to -> to.mode(FilterMode.ENFORCE));
          case EXPLAIN -> null;
          default -> throw new IllegalArgumentException("'action' is none that is known" + ACTIONS);
        };
    return change == null
        ? explain(operated, subject, key)
        : AuditLog.write(
            caller, forced ? "forced " + action : action, name, change, EndpointAnswer::told);
  }

  private static void requireArgumentOf(
      String action, String name, @Nullable Object argument, String... actions) {
    if (argument != null && !List.of(actions).contains(action)) {
      throw new IllegalArgumentException(
          "'" + name + "' is an argument of '" + String.join("' and '", actions) + "' only");
    }
  }

  /**
   * Cancels the rebuild of a filter, in whichever process that shares it.
   *
   * @param name the filter's name
   * @param task {@code rebuild}
   * @return {@code cancelled}, false if there is no such filter or task, or none runs
   * @throws StoreUnavailableException if the store of the filter is out of reach
   */
  @DeleteOperation
  public OperationResponseBody cancel(@Selector String name, @Selector String task) {
    return EndpointAnswer.of("cancelled", cancel(Caller.JMX, name, task));
  }

  boolean cancel(Caller caller, String name, String task) {
    OperatedFilter operated = filters.find(name).orElse(null);
    return operated != null
        && REBUILD.equals(task)
        && AuditLog.write(
            caller,
            "cancellation of the rebuild",
            name,
            () -> operated.filter().cancelRebuildAnywhere(),
            cancelled -> cancelled ? "asked to stop" : "none runs");
  }

  UnknownFilterException unknown(String name) {
    return new UnknownFilterException(name, filters.names());
  }

  private static EndpointAnswer rebuild(OperatedFilter operated, boolean force) {
    return EndpointAnswer.of(
        "run", operated.filter().requestRebuild(RebuildTrigger.REQUEST, force));
  }

  private static EndpointAnswer rollback(OperatedFilter operated) {
    if (!operated.filter().rollback()) {
      throw new ConflictException(
          "Filter '%s' has no older generation to serve again%s"
              .formatted(operated.name(), operated.filter().feed() == null ? "" : NOT_KEPT));
    }
    return EndpointAnswer.of("generation", operated.filter().status().generation());
  }

  private static EndpointAnswer clear(OperatedFilter operated, @Nullable String confirm) {
    if (!operated.name().equals(confirm)) {
      throw new IllegalArgumentException(
          "'confirm' must be the name of the filter: clear takes every key out of it");
    }
    return EndpointAnswer.of("strings", operated.filter().clear());
  }

  private static void arm(OperatedFilter operated, Enforcement enforcement, boolean force) {
    String refusal = operated.armRefusal();
    if (refusal != null && !force) {
      throw new ConflictException("Filter '" + operated.name() + "' is not armed. " + refusal);
    }
    if (force) {
      operated.filter().believe();
    }
    enforcement.arm(refusal == null);
  }

  private static EndpointAnswer switched(OperatedFilter operated, Consumer<Enforcement> change) {
    change.accept(operated.filter().store().enforcement());
    return EndpointAnswer.of("state", operated.filter().status().state())
        .with("mode", operated.guarded().verification().mode().tag());
  }

  private static EndpointAnswer explain(
      OperatedFilter operated, @Nullable String subject, @Nullable String key) {
    if (key == null) {
      throw new IllegalArgumentException("'key' is missing: explain needs the key to explain");
    }
    if (operated.filter().store() instanceof SubjectFilters subjects) {
      if (subject == null) {
        throw new IllegalArgumentException("'subject' is missing: the filter has one for each");
      }
      Subjects.require(subject);
      return ExplainedKey.of(operated, subjects, subject, key);
    }
    if (subject != null) {
      throw new IllegalArgumentException("'subject' is for filters by subject, which this is not");
    }
    return ExplainedKey.of(operated, key);
  }

  /**
   * All filters by name.
   *
   * @param filters in the order of their configuration
   */
  public record Filters(Map<String, Map<String, Object>> filters)
      implements OperationResponseBody {}

  /** The filter is in no state for an action. */
  static final class ConflictException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ConflictException(String why) {
      super(why);
    }
  }
}
