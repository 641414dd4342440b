package io.bloomguard.console;

import java.net.URL;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * A panel that an application adds to the console as a bean: a script that fills it, and the
 * answers to the script's calls.
 *
 * <p>The script is a JavaScript module, which the page calls once: {@code show(section, {read,
 * act})}. {@code section} is an empty element at the end of the page, {@code read()} a GET of
 * {@link #data}, and {@code act(arguments)} a POST to {@link #act}. Both return a promise of the
 * answer, or fail with an error whose message is for people. The page's content security policy
 * holds for the script too: nothing from other origins, no style or script within an element.
 */
public interface ConsolePanel {

  /**
   * {@return the panel's name in the paths of its script and calls: lower-case words, joined by
   * single dashes}
   */
  String name();

  /** {@return the location of its script, which is read once, when the application starts} */
  URL script();

  /**
   * {@return the panel's data, as an object that becomes JSON}
   *
   * @throws ResponseStatusException for another status than 200, with a reason that the page shows
   */
  default Object data() {
    return Map.of();
  }

  /**
   * Runs the script's action.
   *
   * @param arguments the arguments in their JSON form: check each, and the user's rights
   * @return an object that becomes JSON
   * @throws ResponseStatusException for another status than 200, with a reason that the page shows
   */
  default Object act(Map<String, @Nullable Object> arguments) {
    throw new ResponseStatusException(HttpStatus.METHOD_NOT_ALLOWED, "This panel only shows");
  }
}
