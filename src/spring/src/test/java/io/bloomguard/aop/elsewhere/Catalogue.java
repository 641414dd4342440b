package io.bloomguard.aop.elsewhere;

import io.bloomguard.annotation.BloomGuarded;
import org.jspecify.annotations.Nullable;

/** A class of another package, with a method that only its own package may call or override. */
public class Catalogue {

  @BloomGuarded(filter = "products", key = "#id")
  @Nullable String find(long id) {
    return "found " + id;
  }

  /** Calls it as its own package may. */
  public static @Nullable String ask(Catalogue catalogue, long id) {
    return catalogue.find(id);
  }

  /** The compiler gives its public subclass a bridge that carries the annotation as well. */
  static class Hidden {
    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String find(long id) {
      return "found " + id;
    }
  }

  /** Inherits a public method from a class that is not. */
  public static class Shown extends Hidden {}
}
