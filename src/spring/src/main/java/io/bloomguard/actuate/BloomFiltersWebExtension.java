package io.bloomguard.actuate;

import io.bloomguard.actuate.internal.Caller;
import io.bloomguard.actuate.internal.ServletCall;
import io.bloomguard.generation.ClearRefusedException;
import io.bloomguard.generation.StoreUnavailableException;
import io.bloomguard.generation.internal.build.RebuildRefusedException;
import io.bloomguard.guard.UnknownFilterException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.http.HttpStatus;
import org.springframework.util.MimeType;

/**
 * The operations of {@link BloomFiltersEndpoint} with the status codes of HTTP, and RFC 9457
 * problems for what is refused.
 *
 * <p>Arguments come in the JSON body only: a URL ends up in access logs. Query parameters would
 * bind to arguments as well, so a call that has any is refused.
 */
@RegisterReflectionForBinding(BloomFiltersWebExtension.Problem.class)
@EndpointWebExtension(endpoint = BloomFiltersEndpoint.class)
public class BloomFiltersWebExtension {

  private static final MimeType PROBLEM = new MimeType("application", "problem+json");
  private static final int ACCEPTED = 202;
  private static final int CONFLICT = 409;

  /** A store that is out of reach is looked for as often. */
  private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

  private final BloomFiltersEndpoint endpoint;

  /**
   * The operations of an endpoint over HTTP.
   *
   * @param endpoint the endpoint that does the work
   */
  public BloomFiltersWebExtension(BloomFiltersEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * All filters over HTTP.
   *
   * @return 200 with all filters, or 400 for a call with a query
   */
  @ReadOperation
  public WebEndpointResponse<OperationResponseBody> filters() {
    return answer(
        ServletCall.misplacedQuery(), () -> new WebEndpointResponse<>(endpoint.filters()));
  }

  /**
   * One filter over HTTP, or 404 for an unknown name.
   *
   * @param name the filter's name
   * @return 200 with the filter, 404, or 400 for a call with a query
   */
  @ReadOperation
  public WebEndpointResponse<OperationResponseBody> filter(@Selector String name) {
    return answer(
        ServletCall.misplacedArgument(name),
        () -> {
          EndpointAnswer found = endpoint.described(name);
          if (found == null) {
            throw endpoint.unknown(name);
          }
          return new WebEndpointResponse<>(found);
        });
  }

  /**
   * Begins an action over HTTP: 202, or 200 for an explanation.
   *
   * @param security the caller's login, for the audit log
   * @param name the filter's name
   * @param action the action, as for the endpoint
   * @param key the key to explain, null for other actions
   * @param force {@code true} or {@code false}, for a rebuild or to arm; as text, because the
   *     conversion to a boolean would take {@code yes} as well
   * @param subject the subject whose filter explains the key, null for a filter without subjects
   * @param confirm the filter's name once more, to clear it; null for other actions
   * @return the endpoint's answer, or the problem that refuses the call: 400, 404, 409, 429 or 503
   */
  @WriteOperation
  public WebEndpointResponse<OperationResponseBody> act(
      SecurityContext security,
      @Selector String name,
      @Nullable String action,
      @Nullable String key,
      @Nullable String force,
      @Nullable String subject,
      @Nullable String confirm) {
    return answer(
        ServletCall.misplacedArgument(name),
        () -> {
          Boolean forced = flag("force", force);
          OperationResponseBody done =
              endpoint.act(Caller.of(security), name, action, key, forced, subject, confirm);
          boolean answered = BloomFiltersEndpoint.EXPLAIN.equals(action);
          return new WebEndpointResponse<>(
              done, answered ? WebEndpointResponse.STATUS_OK : ACCEPTED);
        });
  }

  /**
   * Cancels a rebuild over HTTP: 204, or 404 where none runs.
   *
   * @param security the caller's login, for the audit log
   * @param name the filter's name
   * @param task {@code rebuild}
   * @return an empty answer, or the problem: 400, 404 or 503
   */
  @DeleteOperation
  public WebEndpointResponse<OperationResponseBody> cancel(
      SecurityContext security, @Selector String name, @Selector String task) {
    return answer(
        ServletCall.misplacedArgument(name),
        () ->
            endpoint.cancel(Caller.of(security), name, task)
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT)
                : problem(
                    WebEndpointResponse.STATUS_NOT_FOUND,
                    BloomFiltersEndpoint.REBUILD.equals(task)
                        ? "No rebuild of such a filter runs"
                        : "Only the 'rebuild' of a filter can be deleted"));
  }

  private static @Nullable Boolean flag(String name, @Nullable String value) {
    if (value != null && !value.equals("true") && !value.equals("false")) {
      throw new IllegalArgumentException("'" + name + "' must be true or false");
    }
    return value == null ? null : Boolean.valueOf(value);
  }

  /**
   * The answer to a call, or the problem that refuses it.
   *
   * @param misplaced the rule that its arguments break, null for none
   */
  private static WebEndpointResponse<OperationResponseBody> answer(
      @Nullable String misplaced, Supplier<WebEndpointResponse<OperationResponseBody>> call) {
    if (misplaced != null) {
      return problem(WebEndpointResponse.STATUS_BAD_REQUEST, misplaced);
    }
    try {
      return call.get();
    } catch (UnknownFilterException e) {
      return problem(WebEndpointResponse.STATUS_NOT_FOUND, e.getMessage());
    } catch (IllegalArgumentException e) {
      return problem(WebEndpointResponse.STATUS_BAD_REQUEST, e.getMessage());
    } catch (BloomFiltersEndpoint.ConflictException | ClearRefusedException e) {
      return problem(CONFLICT, e.getMessage());
    } catch (RebuildRefusedException e) {
      boolean cooldown = e.reason() == RebuildRefusedException.Reason.COOLDOWN;
      if (cooldown) {
        ServletCall.retryAfter(e.retryAfter());
      }
      return problem(
          cooldown ? WebEndpointResponse.STATUS_TOO_MANY_REQUESTS : CONFLICT,
          e.getMessage(),
          e.run());
    } catch (StoreUnavailableException e) {
      ServletCall.retryAfter(RETRY_AFTER);
      return problem(
          WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
          "The filter's store cannot be changed now: " + e.getMessage());
    }
  }

  private static WebEndpointResponse<OperationResponseBody> problem(
      int status, @Nullable String detail) {
    return problem(status, detail, null);
  }

  private static WebEndpointResponse<OperationResponseBody> problem(
      int status, @Nullable String detail, @Nullable String run) {
    String title = HttpStatus.valueOf(status).getReasonPhrase();
    return new WebEndpointResponse<>(new Problem(title, status, detail, run), status, PROBLEM);
  }

  /**
   * An RFC 9457 problem of type {@code about:blank}.
   *
   * @param title the status in words
   * @param status the status code
   * @param detail what was wrong, without any key
   * @param run the rebuild that is under way, or the last one within its cooldown; else null
   */
  public record Problem(String title, int status, @Nullable String detail, @Nullable String run)
      implements OperationResponseBody {}
}
