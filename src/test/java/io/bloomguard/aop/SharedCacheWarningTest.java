package io.bloomguard.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Lookups that may be answered with what is not theirs are named at the start. */
@ExtendWith(OutputCaptureExtension.class)
class SharedCacheWarningTest {

  static class Apart {

    @BloomGuarded(filter = "products", key = "#id", cache = "names")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#p0", cache = "cities")
    public String city(long id) {
      return "city " + id;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public String text(long id, Locale locale) {
      return locale + " " + id;
    }
  }

  static class Together {

    @BloomGuarded(filter = "products", key = "#id")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public String city(long id) {
      return "city " + id;
    }
  }

  static class Meant {

    @BloomGuarded(filter = "products", key = "#id", cache = "names")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "names")
    public String sameName(long id) {
      return name(id);
    }
  }

  static class Lists {

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public List<String> friends(long id) {
      return List.of();
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public List<String> enemies(long id) {
      return List.of("e" + id);
    }
  }

  static class Bikes {

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsByOwnerId(long id) {
      return false;
    }
  }

  static class Owners {

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsById(long id) {
      return true;
    }
  }

  static class Translated {

    @BloomGuarded(filter = "products", key = "#id")
    public String text(long id, Locale locale) {
      return locale + " " + id;
    }
  }

  @Test
  void lookupsOfTheSameTypeThatShareACacheByDefaultAreNamed(CapturedOutput output) {
    start(Together.class);
    assertThat(output).contains("Together.name", "Together.city", "share the cache 'products'");
  }

  @Test
  void lookupsThatShareNullEntriesOfWhatMayBeEmptyAreNamed(CapturedOutput output) {
    start(Lists.class);
    assertThat(output).contains("Lists.friends", "Lists.enemies", "share the cache 'products'");
  }

  /** That an owner has no bike leaves a null entry, and the owner would be denied. */
  @Test
  void existenceThatAnotherClassAsksForIsNamed(CapturedOutput output) {
    Guarding.context(new TestGuards(), Owners.class, Bikes.class).close();
    assertThat(output).contains("Owners.name", "Bikes.existsByOwnerId", "share the cache");
  }

  @Test
  void existenceBesideTheLookupIsMeant(CapturedOutput output) {
    start(Owners.class);
    assertThat(output).doesNotContain("share the cache");
  }

  @Test
  void parametersThatTheKeyLeavesOutAreNamed(CapturedOutput output) {
    start(Translated.class);
    assertThat(output).contains("Translated.text", "leaves out [#locale]");
  }

  @Test
  void nothingIsSaidOfCachesThatAreApartOrMeant(CapturedOutput output) {
    start(Apart.class);
    start(Meant.class);
    assertThat(output).doesNotContain("share the cache").doesNotContain("leaves out");
  }

  private static void start(Class<?> bean) {
    Guarding.context(new TestGuards(), bean).close();
  }
}
