package io.bloomguard.console.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.DigestUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseBody;

/**
 * The files of the console: only these, and the scripts of the application's panels.
 *
 * <p>All come from the class path, so that the page loads nothing from other origins, and its
 * content security policy allows nothing else: no script or style in the page itself, no frame
 * around it.
 */
@Controller
public final class ConsolePage {

  /**
   * The content security policy of the page. Pico has its arrows and ticks as data: images in its
   * style.
   */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String INDEX = "index.html";

  static final List<String> NAMES =
      List.of(
          INDEX,
          "icon.svg",
          "console.css",
          "main.js",
          "calls.js",
          "page.js",
          "charts.js",
          "filters.js",
          "traffic.js",
          "sizing.js",
          "explain.js",
          "pico/pico.min.css",
          "pico/LICENSE.md",
          "uplot/uPlot.iife.min.js",
          "uplot/uPlot.min.css",
          "uplot/LICENSE");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html;charset=UTF-8",
          "css", "text/css;charset=UTF-8",
          "js", "text/javascript;charset=UTF-8",
          "svg", "image/svg+xml");

  private final Map<String, File> files = new LinkedHashMap<>();

  public ConsolePage(Console console) {
    NAMES.forEach(
        name -> files.put(name, File.read(name, ConsolePage.class.getResource("page/" + name))));
    console
        .panels()
        .forEach(
            (name, panel) -> {
              String script = "panels/" + name + ".js";
              files.put(script, File.read(script, panel.script()));
            });
  }

  /** Redirects to the path with a slash, to which the page's links are relative. */
  @GetMapping(Console.PATH)
  ResponseEntity<Void> withoutSlash() {
    String here = Console.PATH.substring(1) + "/";
    return ResponseEntity.status(HttpStatus.FOUND).header(HttpHeaders.LOCATION, here).build();
  }

  @GetMapping(Console.PATH + "/")
  @ResponseBody
  ResponseEntity<byte[]> index() {
    return file(INDEX);
  }

  @GetMapping(Console.PATH + "/{file}")
  @ResponseBody
  ResponseEntity<byte[]> file(@PathVariable String file) {
    return answer(files.get(file));
  }

  @GetMapping(Console.PATH + "/{part}/{file}")
  @ResponseBody
  ResponseEntity<byte[]> file(@PathVariable String part, @PathVariable String file) {
    return answer(files.get(part + "/" + file));
  }

  private static ResponseEntity<byte[]> answer(@Nullable File file) {
    if (file == null) {
      return ResponseEntity.notFound().build();
    }
    return ResponseEntity.ok()
        .contentType(file.type())
        .eTag(file.tag())
        .cacheControl(CacheControl.maxAge(Duration.ZERO).mustRevalidate())
        .header("Content-Security-Policy", POLICY)
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .body(file.bytes());
  }

  private record File(byte[] bytes, MediaType type, String tag) {

    static File read(String name, @Nullable URL at) {
      if (at == null) {
        throw new IllegalStateException("The console lacks its file " + name);
      }
      try (InputStream in = at.openStream()) {
        byte[] bytes = in.readAllBytes();
        String ending = name.substring(name.lastIndexOf('.') + 1);
        String type = TYPES.getOrDefault(ending, "text/plain;charset=UTF-8");
        String tag = '"' + DigestUtils.md5DigestAsHex(bytes) + '"';
        return new File(bytes, MediaType.parseMediaType(type), tag);
      } catch (IOException e) {
        throw new UncheckedIOException("The console's file " + name + " cannot be read", e);
      }
    }
  }
}
