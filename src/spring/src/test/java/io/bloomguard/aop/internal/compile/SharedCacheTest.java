package io.bloomguard.aop.internal.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.internal.EntryPoint;
import io.bloomguard.guard.internal.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** No lookup is answered with what another one has loaded, unless that is meant. */
@ExtendWith(OutputCaptureExtension.class)
class SharedCacheTest {

  @TestGuards.Owned
  static class Owner {}

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

  static class NamedOnce {

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public String city(long id) {
      return "city " + id;
    }
  }

  static class Later {

    @BloomGuarded(filter = "products", key = "#id")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public CompletableFuture<String> city(long id) {
      return CompletableFuture.completedFuture("city " + id);
    }
  }

  static class ByEntry {

    @BloomGuarded(filter = "products", key = "#id")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#ids")
    public Map<Long, String> cities(List<Long> ids) {
      return Map.of();
    }
  }

  static class TwoQuestions {

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsById(long id) {
      return true;
    }

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsActiveById(long id) {
      return false;
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

  static class Apart {

    @BloomGuarded(filter = "products", key = "#id", cache = "names")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#p0", cache = "cities")
    public String city(long id) {
      return "city " + id;
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    public String text(long id, Locale locale) {
      return locale + " " + id;
    }
  }

  static class Meant {

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public String name(long id) {
      return "name " + id;
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public String sameName(long id) {
      return name(id);
    }
  }

  interface Catalogue {

    @BloomGuarded(filter = "products", key = "#id")
    String name(long id);
  }

  static class Plain implements Catalogue {

    @Override
    public String name(long id) {
      return "name " + id;
    }
  }

  static class Decorating implements Catalogue {

    private final Plain plain = new Plain();

    @Override
    public String name(long id) {
      return plain.name(id);
    }
  }

  /** Both are proxies of the interface. */
  record Catalogues(List<Catalogue> all) {}

  static class Base {

    @BloomGuarded(filter = "products", key = "#id")
    public String name(long id) {
      return "name " + id;
    }
  }

  static class Overriding extends Base {

    @Override
    @BloomGuarded(filter = "products", key = "#number")
    public String name(long number) {
      return super.name(number);
    }
  }

  static class Bikes {

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsByOwnerId(long id) {
      return false;
    }
  }

  static class Wheels {

    @BloomGuarded(filter = "products", key = "#id")
    public long countByOwnerId(long id) {
      return 0;
    }
  }

  static class Owners {

    final Map<Long, Owner> rows = new ConcurrentHashMap<>(Map.of(1L, new Owner()));

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> findById(long id) {
      return Optional.ofNullable(rows.get(id));
    }

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsById(long id) {
      return rows.containsKey(id);
    }
  }

  static class Views {

    private final List<Long> asked = new ArrayList<>();

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NULLS)
    public Optional<String> findById(long id) {
      return id == 1 ? Optional.of("one") : Optional.empty();
    }

    @BloomGuarded(filter = "products", key = "#id")
    public boolean existsById(long id) {
      asked.add(id);
      return id == 1;
    }

    public List<Long> asked() {
      return asked;
    }
  }

  static class Accounts {

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> findById(long id) {
      return Optional.of(new Owner());
    }

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> findEnabledById(long id) {
      return Optional.empty();
    }
  }

  static class MeantAccounts {

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public Optional<Owner> findById(long id) {
      return Optional.empty();
    }

    @BloomGuarded(filter = "products", key = "#id", cache = "products")
    public Optional<Owner> findWithBikesById(long id) {
      return Optional.empty();
    }
  }

  static class Profiles {

    @BloomGuarded(filter = "products", key = "#user", caching = Caching.NULLS)
    public Optional<String> findByUser(long user) {
      return Optional.empty();
    }
  }

  static class Translated {

    int calls;

    @BloomGuarded(filter = "products", key = "#id")
    public String text(long id, String language) {
      calls++;
      return language.equals("xx") ? null : language + " " + id;
    }
  }

  static class OwnedByOne {

    @BloomGuarded(filter = "products", key = "#id")
    public Optional<Owner> findByIdAndOwner(long id, String owner) {
      return owner.equals("ann") ? Optional.of(new Owner()) : Optional.empty();
    }
  }

  static class Timed {

    int calls;

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.VALUES)
    public String text(long id, int timeout) {
      calls++;
      return "text " + id;
    }
  }

  static class TranslatedAndNamed {

    @BloomGuarded(filter = "products", key = "#id", cache = "texts")
    public String text(long id, Locale locale) {
      return locale + " " + id;
    }
  }

  private final TestGuards guards = new TestGuards();
  private AnnotationConfigApplicationContext context;

  @AfterEach
  void stop() {
    if (context != null) {
      context.close();
    }
  }

  private <T> T start(Class<T> bean, Class<?>... others) {
    guards.keys.addAll(List.of("0", "1"));
    Class<?>[] all = new Class<?>[others.length + 1];
    System.arraycopy(others, 0, all, 0, others.length);
    all[others.length] = bean;
    context = Guarding.context(guards, all);
    return context.getBean(bean);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Together.class,
        NamedOnce.class,
        Later.class,
        ByEntry.class,
        TwoQuestions.class,
        Lists.class
      })
  void lookupsOfOneTypeThatShareACacheByDefaultAreRefused(Class<?> bean) {
    assertThatThrownBy(() -> start(bean))
        .isInstanceOfSatisfying(
            StartRefusedException.class,
            refusal -> {
              assertThat(refusal.description())
                  .contains("shares the cache 'products' with " + bean.getTypeName() + ".");
              assertThat(refusal.action())
                  .contains("cache = \"products\"", "cache of its own", "caching = NONE");
            });
  }

  @Test
  void lookupsThatShareACacheByItsNameAnswerEachOther() {
    Meant meant = start(Meant.class);
    assertThat(meant.sameName(1)).isSameAs(meant.name(1));
  }

  @Test
  void oneMethodSharesItsCacheWithItself(CapturedOutput output) {
    start(Catalogues.class, Plain.class, Decorating.class);
    context.close();
    start(Overriding.class, Base.class).name(1);
    assertThat(output).doesNotContain("keeps nothing");
  }

  /** That an owner has no bike says nothing of the owner, in either order of the beans. */
  @Test
  void existenceThatAnotherClassAsksForDeniesNothing(CapturedOutput output) {
    start(Owners.class, Bikes.class, Wheels.class);
    ownersWithoutBikesAreFound(output);
    context.close();
    start(Bikes.class, Owners.class, Wheels.class);
    ownersWithoutBikesAreFound(output);
  }

  private void ownersWithoutBikesAreFound(CapturedOutput output) {
    Owners owners = context.getBean(Owners.class);
    Bikes bikes = context.getBean(Bikes.class);
    Wheels wheels = context.getBean(Wheels.class);
    for (int i = 0; i < 2; i++) {
      assertThat(bikes.existsByOwnerId(1)).isFalse();
      assertThat(wheels.countByOwnerId(1)).isZero();
      assertThat(owners.findById(1)).isPresent();
      assertThat(owners.existsById(1)).isTrue();
    }
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.NULL_HIT)).isZero();
    assertThat(output).contains("Bikes.existsByOwnerId(long) keeps nothing");
  }

  @Test
  void existenceBesideTheLookupSharesItsNullEntries() {
    Owners owners = start(Owners.class, Bikes.class);
    assertThat(owners.existsById(0)).isFalse();
    assertThat(owners.findById(0)).isEmpty();
    assertThat(owners.existsById(0)).isFalse();
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.NULL_HIT)).isEqualTo(2);
  }

  @Test
  void existenceBesideALookupThatKeepsNullEntriesAloneIsNoRow() {
    Views views = start(Views.class);
    for (int i = 0; i < 2; i++) {
      assertThat(views.existsById(1)).isTrue();
      assertThat(views.findById(1)).contains("one");
      assertThat(views.findById(0)).isEmpty();
      assertThat(views.existsById(0)).isFalse();
    }
    assertThat(views.asked()).containsExactly(1L);
  }

  @Test
  void existenceAloneIsKept() {
    Bikes bikes = start(Bikes.class);
    bikes.existsByOwnerId(1);
    bikes.existsByOwnerId(1);
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.NULL_HIT)).isOne();
  }

  @Test
  void aRowThatOneLookupLeavesOutIsFoundByTheOther(CapturedOutput output) {
    Accounts accounts = start(Accounts.class);
    assertThat(accounts.findEnabledById(1)).isEmpty();
    assertThat(accounts.findById(1)).isPresent();
    assertThat(output).contains("Accounts.findEnabledById(long) keeps nothing");
  }

  @Test
  void aRowOfAnotherTableIsNoneOfTheLookups(CapturedOutput output) {
    Base users = start(Base.class, Profiles.class);
    assertThat(context.getBean(Profiles.class).findByUser(1)).isEmpty();
    assertThat(users.name(1)).isEqualTo("name 1");
    assertThat(output.getAll().lines())
        .as("as its annotation says that null entries are kept")
        .anyMatch(line -> line.contains("WARN") && line.contains("Profiles.findByUser"));
  }

  @Test
  void nullEntriesAreSharedByTheNameOfTheirCache() {
    MeantAccounts accounts = start(MeantAccounts.class);
    accounts.findById(0);
    accounts.findWithBikesById(0);
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.NULL_HIT)).isOne();
  }

  @Test
  void whatMoreThanTheKeyDecidesIsNotKept(CapturedOutput output) {
    Translated texts = start(Translated.class);
    assertThat(texts.text(1, "xx")).isNull();
    assertThat(texts.text(1, "de")).isEqualTo("de 1");
    assertThat(texts.text(1, "en")).isEqualTo("en 1");
    assertThat(texts.text(2, "en")).isNull();
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.REJECTED)).isOne();
    assertThat(output).contains("Translated.text", "leaves out #language, so it keeps nothing");
  }

  @Test
  void aRowOfAnotherOwnerIsNotKeptAsAbsent() {
    OwnedByOne rows = start(OwnedByOne.class);
    assertThat(rows.findByIdAndOwner(1, "bob")).isEmpty();
    assertThat(rows.findByIdAndOwner(1, "ann")).isPresent();
  }

  @Test
  void valuesAreKeptByAKeyThatIsSaidToDecideThem() {
    Timed timed = start(Timed.class);
    assertThat(timed.text(1, 10)).isEqualTo(timed.text(1, 20));
    assertThat(guards.outcomes.count(EntryPoint.METHOD, Outcome.CACHE_HIT)).isOne();
  }

  @Test
  void aCacheOfWhatMoreThanTheKeyDecidesIsRefused() {
    assertThatThrownBy(() -> start(TranslatedAndNamed.class))
        .isInstanceOf(StartRefusedException.class)
        .hasMessageContaining("leaves out #locale")
        .hasMessageContaining("caching = NONE")
        .hasMessageContaining("caching = VALUES");
  }

  @Test
  void nothingIsSaidOfCachesThatAreApart(CapturedOutput output) {
    start(Apart.class);
    assertThat(output).doesNotContain("keeps nothing");
  }
}
