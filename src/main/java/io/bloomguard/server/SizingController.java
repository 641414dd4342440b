package io.bloomguard.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The sizing call: what a filter would cost in each layout, and what it does when overloaded. */
@RestController
class SizingController {

  private static final double[] LOADS = {0.5, 1, 1.5, 2, 3, 4};

  /**
   * The dimensions for n keys at p.
   *
   * @param insertions n, at least 1
   * @param fpp p, greater than 0 and less than 1
   */
  @GetMapping("/v1/sizing")
  Sizes sizing(
      @RequestParam(required = false) @Nullable String insertions,
      @RequestParam(required = false) @Nullable String fpp) {
    long n = number("insertions", insertions, "an integral number of at least 1", Long::parseLong);
    double p = number("fpp", fpp, "a number greater than 0 and less than 1", Double::parseDouble);
    Map<String, Size> layouts = new LinkedHashMap<>();
    for (Layout layout : Layout.values()) {
      layouts.put(layout.name().toLowerCase(Locale.ROOT), size(layout, n, p));
    }
    return new Sizes(n, p, layouts);
  }

  private static Size size(Layout layout, long n, double p) {
    FilterShape shape;
    try {
      shape = Sizing.shape(layout, n, p);
    } catch (IllegalArgumentException e) {
      throw badRequest(String.valueOf(e.getMessage()));
    }
    List<Load> overload = Arrays.stream(LOADS).mapToObj(times -> Load.of(shape, times)).toList();
    return new Size(
        shape.bits(),
        shape.hashes(),
        shape.sizeBytes(),
        (double) shape.bits() / n,
        shape.blockWords() == 0 ? null : shape.blockWords(),
        overload);
  }

  private static <T> T number(
      String name, @Nullable String value, String rule, Function<String, T> parse) {
    if (value == null) {
      throw badRequest("'" + name + "' is missing, but must be " + rule);
    }
    try {
      return parse.apply(value);
    } catch (NumberFormatException e) {
      throw badRequest("'" + name + "' is '" + value + "', but must be " + rule);
    }
  }

  private static ResponseStatusException badRequest(String detail) {
    return new ResponseStatusException(HttpStatus.BAD_REQUEST, detail);
  }

  record Sizes(long insertions, double fpp, Map<String, Size> layouts) {}

  /**
   * One layout's dimensions.
   *
   * @param blockWords 64-bit words in a block, null for a layout without blocks
   */
  record Size(
      long bits,
      int hashes,
      long bytes,
      double bitsPerKey,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer blockWords,
      List<Load> overload) {}

  /**
   * One point of the overload curve.
   *
   * @param times the keys in the filter over the expected insertions
   * @param fpp the false-positive probability then
   */
  record Load(double times, long insertions, double fpp) {

    static Load of(FilterShape shape, double times) {
      long elements = Math.round(shape.expectedInsertions() * times);
      return new Load(times, elements, shape.falsePositiveProbabilityAt(elements));
    }
  }
}
