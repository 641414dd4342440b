package io.bloomguard.aop.internal.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomEvicts;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.BloomPuts;
import io.bloomguard.annotation.When;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import io.bloomguard.web.internal.GuardExceptionHandler;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;

/** Which keys a writing method adds and evicts. */
@ExtendWith(OutputCaptureExtension.class)
class WriteKeysTest {

  record User(@Nullable Long id, @Nullable String name) {}

  @BloomPut(filter = "products", key = "#user.id")
  @BloomPut(filter = "orders", key = "#user.name")
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface PutUser {}

  abstract static class Declared {

    @BloomPut(filter = "products", key = "#user.id")
    @BloomPut(filter = "orders", key = "#user.name")
    public abstract void replaced(User user);
  }

  static class Users extends Declared {

    private final Map<Object, String> rows = new HashMap<>();

    @BloomGuarded(filter = "products", key = "#id")
    public @Nullable String byId(long id) {
      return rows.get(id);
    }

    @BloomGuarded(filter = "orders", key = "#name")
    public @Nullable String byName(@Nullable String name) {
      return rows.get(name);
    }

    @BloomPut(filter = "products", key = "#user.id")
    @BloomPut(filter = "orders", key = "#user.name")
    public void save(User user) {
      put(user);
    }

    @PutUser
    public void composed(User user) {
      put(user);
    }

    @BloomPuts({
      @BloomPut(filter = "products", key = "#user.id"),
      @BloomPut(filter = "orders", key = "#user.name")
    })
    public void contained(User user) {
      put(user);
    }

    @Override
    @BloomPut(filter = "products", key = "#user.id")
    public void replaced(User user) {
      put(user);
    }

    @BloomPut(filter = "products", key = "#users.![id]")
    public void saveAll(List<User> users) {
      users.forEach(this::put);
    }

    @BloomEvict(filter = "products", key = "#user.id")
    @BloomEvict(filter = "orders", key = "#user.name")
    public void delete(User user) {
      rows.keySet().removeAll(Arrays.asList(user.id(), user.name()));
    }

    @BloomEvicts({
      @BloomEvict(filter = "products", key = "#id"),
      @BloomEvict(filter = "orders", key = "#result.name")
    })
    public User deleteById(long id) {
      User gone = new User(id, rows.get(id));
      rows.keySet().removeAll(Arrays.asList(id, gone.name()));
      return gone;
    }

    @BloomEvict(filter = "orders", key = "#names[0]", when = When.AFTER)
    public void deleteAfter(String[] names) {
      names[0] = "ada";
      rows.remove("ada");
    }

    @BloomEvict(filter = "products", key = "#ids")
    @BloomEvict(filter = "products", key = "#ids", cache = "others")
    public void deleteAll(List<Long> ids) {
      rows.keySet().removeAll(ids);
    }

    @BloomEvict(filter = "products", key = "#id")
    public int deleteIfThere(long id) {
      return rows.remove(id) == null ? 0 : 1;
    }

    @BloomEvict(filter = "products", key = "#id")
    public CompletableFuture<Integer> deleteLater(long id) {
      return CompletableFuture.completedFuture(deleteIfThere(id));
    }

    @BloomEvict(filter = "products", key = "#user.id")
    public void deleteThrough(Users users, User user) {
      users.delete(user);
    }

    private void put(User user) {
      rows.put(user.id(), user.name() + "");
      rows.put(user.name(), user.name() + "");
    }
  }

  private final TestGuards guards = new TestGuards();
  private final AnnotationConfigApplicationContext context = Guarding.context(guards, Users.class);
  private final Users users = context.getBean(Users.class);
  private final User ada = new User(7L, "ada");

  @AfterEach
  void stop() {
    // A failed call of MockMvc leaves its request on this thread.
    RequestContextHolder.resetRequestAttributes();
    context.close();
  }

  @Test
  void eachPutAddsItsOwnKey() {
    users.save(ada);
    assertThat(guards.keys).containsExactlyInAnyOrder("7", "ada");
  }

  @Test
  void eachPutDropsTheNullEntryOfItsOwnKey() {
    guards.keys.addAll(List.of("7", "ada"));
    assertThat(users.byId(7)).isNull();
    assertThat(users.byName("ada")).isNull();
    users.save(ada);
    assertThat(users.byId(7)).isEqualTo("ada");
    assertThat(users.byName("ada")).isEqualTo("ada");
  }

  @Test
  void puttingMayBeComposedOfSeveral() {
    users.composed(ada);
    assertThat(guards.keys).containsExactlyInAnyOrder("7", "ada");
  }

  @Test
  void putsMayBeWrittenInTheirContainer() {
    users.contained(ada);
    assertThat(guards.keys).containsExactlyInAnyOrder("7", "ada");
  }

  @Test
  void annotationsOfTheMethodReplaceThoseThatItOverrides() {
    users.replaced(ada);
    assertThat(guards.keys).containsExactly("7");
  }

  @Test
  void eachEvictionDropsItsOwnKey() {
    users.save(ada);
    users.byId(7);
    users.byName("ada");
    users.delete(ada);
    assertThat(users.byId(7)).isNull();
    assertThat(users.byName("ada")).isNull();
  }

  /** However often a call names it, a key has one row. */
  @Test
  void evictionOfACollectionIsOneRemovalOfEachKey() {
    guards.removes = true;
    users.saveAll(List.of(new User(1L, "a"), new User(2L, "b"), new User(3L, "c")));
    users.deleteAll(List.of(1L, 2L, 1L));
    assertThat(guards.removals).containsExactly(List.of("1", "2"));
    users.deleteAll(List.of());
    assertThat(guards.removals).hasSize(1);
    assertThat(guards.keys).containsExactly("3");
  }

  @Test
  void aDeletionThatSaysThatItDeletedNothingRemovesNoKey() {
    guards.removes = true;
    users.save(ada);
    assertThat(users.deleteIfThere(7)).isOne();
    assertThat(users.deleteIfThere(7)).isZero();
    assertThat(guards.removals).containsExactly(List.of("7"));
    users.save(ada);
    assertThat(users.deleteLater(7)).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(1);
    assertThat(users.deleteLater(7)).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(0);
    assertThat(guards.removals).containsExactly(List.of("7"), List.of("7"));
  }

  @Test
  void aDeletionThatCallsAnotherRemovesItsKeyOnce() {
    guards.removes = true;
    users.save(ada);
    users.deleteThrough(users, ada);
    assertThat(guards.removals).containsExactly(List.of("7"), List.of("ada"));
  }

  @Test
  void evictionMayTakeAKeyFromTheResult() {
    users.save(ada);
    users.byId(7);
    users.byName("ada");
    assertThat(users.deleteById(7)).isEqualTo(ada);
    assertThat(users.byId(7)).isNull();
    assertThat(users.byName("ada")).isNull();
  }

  @Test
  void evictionMayTakeAKeyFromAnArgumentAfterTheCall() {
    users.save(ada);
    users.byName("ada");
    users.deleteAfter(new String[] {"bob"});
    assertThat(users.byName("ada")).isNull();
  }

  @Test
  void nullKeyOfAPutRefusesTheWriteAndIsLogged(CapturedOutput output) {
    assertThatIllegalStateException()
        .isThrownBy(() -> users.save(new User(7L, null)))
        .withMessageContaining("@BloomPut on " + Users.class.getTypeName() + ".save(User)")
        .withMessageContaining("\"#user.name\"")
        .withMessageContaining("when = AFTER");
    assertThat(output).contains("ERROR").contains("\"#user.name\" is null");
    assertThat(users.byName("ada")).as("nothing was written").isNull();
  }

  @Test
  void nullAmongTheKeysOfAPutRefusesTheWrite() {
    List<User> some = List.of(ada, new User(null, "bob"));
    assertThatIllegalStateException().isThrownBy(() -> users.saveAll(some));
    assertThat(guards.keys).isEmpty();
  }

  @Test
  void nullKeyOfAnEvictionRefusesTheDeletion() {
    users.save(ada);
    assertThatThrownBy(() -> users.delete(new User(null, "ada")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("@BloomEvict on");
    assertThat(users.byId(7)).as("still there").isEqualTo("ada");
  }

  @RestController
  static class Web {

    private final Users users;

    Web(Users users) {
      this.users = users;
    }

    @PostMapping("/users")
    public void save() {
      users.save(new User(7L, null));
    }

    @GetMapping("/users")
    public @Nullable String find() {
      return users.byName(null);
    }
  }

  /** What no handler resolves is 500, by the container. */
  @Test
  void nullKeyOfAWriteIsNoFaultOfTheRequest() throws Exception {
    MockMvc web =
        MockMvcBuilders.standaloneSetup(new Web(users))
            .setControllerAdvice(new GuardExceptionHandler())
            .build();
    web.perform(get("/users")).andExpect(status().isBadRequest());
    assertThatThrownBy(() -> web.perform(post("/users")))
        .hasRootCauseInstanceOf(IllegalStateException.class)
        .rootCause()
        .hasMessageContaining("\"#user.name\" is null");
  }
}
