package io.bloomguard.autoconfigure;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.awaitility.Awaitility.await;

import io.bloomguard.actuate.BloomFiltersEndpoint;
import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.autoconfigure.internal.properties.BloomguardProperties;
import io.bloomguard.generation.KeySource;
import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.CacheUseException;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.StartRefusedException;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications whose keys are compared as a database compares them. */
class KeysSettingsTest {

  private static final String USERS = "bloomguard.filters.users.";

  private static final String[] LOWER = {
    USERS + "expected-insertions=1000",
    USERS + "keys.case=lower",
    USERS + "keys.trim=trailing",
    USERS + "keys.normalise=nfc",
    USERS + "source.bean=keys",
    USERS + "verify.first=0",
    USERS + "verify.sample=0",
    USERS + "warm-up.mode=blocking"
  };

  private final Keys keys = new Keys();

  private ApplicationContextRunner application() {
    return Wiring.application()
        .withPropertyValues(LOWER)
        .withBean("keys", KeySource.class, () -> keys);
  }

  /** Public, so that its proxy may be of another class loader. */
  public static class Users {

    final Map<String, String> rows = new ConcurrentHashMap<>(Map.of("admin", "root"));
    final List<String> asked = new CopyOnWriteArrayList<>();

    @BloomGuarded(filter = "users", key = "#name")
    public Optional<String> find(String name) {
      asked.add(name);
      return Optional.ofNullable(rows.get(name.toLowerCase(Locale.ROOT).strip()));
    }

    @BloomPut(filter = "users", key = "#name")
    public String save(String name) {
      rows.put(name.toLowerCase(Locale.ROOT), name);
      return name;
    }

    @BloomEvict(filter = "users", key = "#name")
    public void delete(String name) {
      rows.remove(name.toLowerCase(Locale.ROOT));
    }

    public List<String> asked() {
      return asked;
    }
  }

  @Test
  void oneRowIsFoundBySpellingsOfItsKeyAndLoadedOnce() {
    application()
        .withBean(Users.class)
        .run(
            context -> {
              Users users = context.getBean(Users.class);
              assertThat(users.find("ADMIN")).contains("root");
              assertThat(users.find("admin")).contains("root");
              assertThat(users.find("Admin  ")).contains("root");
              assertThat(users.find("nobody")).isEmpty();
              assertThat(users.asked()).containsExactly("ADMIN");
              users.save("Bob");
              assertThat(users.find("BOB")).contains("Bob");
              users.delete("bOb");
              assertThat(users.find("bob")).isEmpty();
              assertThat(users.asked()).containsExactly("ADMIN", "BOB", "bob");
            });
  }

  @Test
  void anExplanationIsOfTheFoldedKey() {
    application()
        .withConfiguration(Wiring.METERS)
        .withPropertyValues("management.endpoints.web.exposure.include=bloomfilters")
        .run(
            context -> {
              BloomGuard<String> guard =
                  context.getBean(BloomGuards.class).guard("users", String.class);
              assertThat(guard.<RuntimeException>get("Admin", () -> "root")).isEqualTo("root");
              assertThat(
                      context
                          .getBean(BloomFiltersEndpoint.class)
                          .act("users", "explain", "ADMIN ", null, null, null))
                  .asInstanceOf(MAP)
                  .containsEntry("key", "admin")
                  .containsEntry("membership", POSSIBLY_PRESENT)
                  .containsEntry("cached", true);
            });
  }

  @Test
  void recentKeysAreFoldedToo() {
    application()
        .run(
            context -> {
              BloomGuard<Object> guard = context.getBean(BloomGuards.class).guard("users");
              await().until(() -> guard.check("RECENT") == POSSIBLY_PRESENT);
              assertThat(guard.check("nobody")).isEqualTo(ABSENT);
            });
  }

  @Test
  void aBuildRefusesWhatIsTooLongOnceItIsFolded() {
    keys.more = List.of("ȺȺȺ", "   ");
    application()
        .withPropertyValues("bloomguard.keys.max-length=8")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("2 of 4 keys are refused")
                    .hasMessageContaining("folded"));
  }

  /** The name of one filter is the cache of another, whose keys are others. */
  public static class Orders {

    @BloomGuarded(filter = "orders", key = "#id", cache = "users")
    public Optional<String> find(String id) {
      return Optional.of(id);
    }
  }

  @Test
  void aCacheIsNotSharedByFiltersOfOtherKeys() {
    ApplicationContextRunner two =
        application()
            .withPropertyValues(
                "bloomguard.filters.orders.source.bean=keys",
                "bloomguard.filters.orders.expected-insertions=1000");
    two.withBean(Orders.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .isInstanceOf(StartRefusedException.class)
                    .hasMessageContaining("Orders.find(String)")
                    .hasMessageContaining("'orders'")
                    .hasMessageContaining("'users'")
                    .hasMessageContaining("'keys'"));
    two.run(
        context ->
            assertThatThrownBy(
                    () ->
                        context
                            .getBean(EntryGuards.class)
                            .guard(
                                "orders", "users", ValueType.of(String.class), EntryPoint.METHOD))
                .isInstanceOf(CacheUseException.class));
    two.withBean(Orders.class)
        .withPropertyValues(
            "bloomguard.filters.orders.keys.case=lower",
            "bloomguard.filters.orders.keys.trim=trailing",
            "bloomguard.filters.orders.keys.normalise=nfc")
        .run(context -> assertThat(context).hasNotFailed());
  }

  public static class Members {

    @BloomGuarded(filter = "users", key = "{#tenant, #name}")
    public Optional<String> find(String tenant, String name) {
      return Optional.of(tenant + "|" + name);
    }
  }

  /** Trimming would leave the end of the first part, and NFKC makes a colon of a full-width one. */
  @Test
  void aFoldingOfWholeKeysIsRefusedForKeysOfParts() {
    ApplicationContextRunner members = application().withBean(Members.class);
    members.run(
        context ->
            assertThat(context)
                .getFailure()
                .isInstanceOf(StartRefusedException.class)
                .hasMessageContaining("Members.find(String, String)")
                .hasMessageContaining("not for its parts")
                .hasMessageContaining("Trim and normalise each part")
                .hasMessageContaining("collate utf8mb4_nopad_bin"));
    members
        .withPropertyValues(USERS + "keys.trim=none", USERS + "keys.normalise=nfkc")
        .run(context -> assertThat(context).hasFailed());
    members
        .withPropertyValues(USERS + "keys.trim=none")
        .run(
            context -> {
              BloomGuard<?> guard = context.getBean(BloomGuards.class).guard("users");
              guard.put(List.of("ACME:1", "x"));
              assertThat(context.getBean(Members.class).find("acme:1", "X")).contains("acme:1|X");
              assertThat(context.getBean(Members.class).find("acme", "1:x")).isEmpty();
              assertThat(guard.check("acme%3a1:X")).isEqualTo(Membership.POSSIBLY_PRESENT);
            });
  }

  @Test
  void whatAFilterDoesNotSetIsThatOfAll() {
    Wiring.application()
        .withPropertyValues(
            "bloomguard.keys.case=lower",
            "bloomguard.keys.trim=trailing",
            "bloomguard.filters.users.source.bean=keys",
            "bloomguard.filters.orders.keys.case=exact",
            "bloomguard.filters.orders.source.bean=keys")
        .withBean("keys", KeySource.class, () -> keys)
        .run(
            context -> {
              var properties = context.getBean(BloomguardProperties.class);
              var filters = properties.filters();
              assertThat(properties.folding(filters.get("users")).text())
                  .isEqualTo("lower.trailing.none");
              assertThat(properties.folding(filters.get("orders")).text())
                  .isEqualTo("exact.trailing.none");
            });
  }

  @Test
  void anUnknownFoldingIsRefused() {
    application()
        .withPropertyValues(USERS + "keys.case=ignore")
        .run(context -> assertThat(context).hasFailed());
  }

  /** Spelt as somebody entered them. */
  private static final class Keys implements KeySource {

    private List<String> more = List.of();

    @Override
    public void forEach(KeySink sink) {
      sink.accept("Admin");
      sink.accept("Cafe\u0301");
      more.forEach(sink::accept);
    }

    @Override
    public boolean knowsRecent() {
      return true;
    }

    @Override
    public void forEachRecent(Instant since, KeySink sink) {
      sink.accept("Recent ");
    }
  }
}
