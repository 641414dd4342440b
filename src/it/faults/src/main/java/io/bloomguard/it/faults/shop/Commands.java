package io.bloomguard.it.faults.shop;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.BloomGuards;
import io.bloomguard.guard.Membership;
import io.bloomguard.guard.RequestShedException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/** What the harness may ask of the shop, a line each. */
@Component
class Commands implements CommandLoop.Answers {

  private final Shop shop;
  private final Products products;
  private final ObjectProvider<OtherScopes.LazyProducts> lazily;
  private final ObjectProvider<OtherScopes.PrototypeProducts> prototypes;
  private final RowKeys keys;
  private final CodeShop codes;
  private final BloomGuards guards;
  private final BloomGuard<String> guard;

  Commands(
      Shop shop,
      Products products,
      ObjectProvider<OtherScopes.LazyProducts> lazily,
      ObjectProvider<OtherScopes.PrototypeProducts> prototypes,
      @Qualifier("productKeys") RowKeys keys,
      CodeShop codes,
      BloomGuards guards) {
    this.shop = shop;
    this.products = products;
    this.lazily = lazily;
    this.prototypes = prototypes;
    this.keys = keys;
    this.codes = codes;
    this.guards = guards;
    this.guard = guards.guard("products", String.class);
  }

  /** Answers one command; an exception is answered as {@code failed} and its class. */
  @Override
  public String answer(String line) {
    String[] words = line.split(" ");
    try {
      return switch (words[0]) {
        case "check" -> check(words[1], words[2], ids(words[3]));
        case "insert" -> insert(words[1], id(words[2]));
        case "hold" -> held(words[1], id(words[2]));
        case "held" -> Boolean.toString(shop.isHeld(id(words[1])));
        case "release" -> released(id(words[1]));
        case "die" -> died(words[1], id(words[2]));
        case "put" -> put(id(words[1]));
        case "add" -> added(words[1], id(words[2]));
        case "code" -> code(words[1], ids(words[2]));
        case "get" -> get(id(words[1]), Long.parseLong(words[2]));
        case "pause" -> paused(Long.parseLong(words[1]));
        default -> throw new IllegalArgumentException("unknown command");
      };
    } catch (RequestShedException e) {
      return "shed";
    } catch (Exception e) {
      return "failed " + e.getClass().getSimpleName() + ": " + e.getMessage();
    }
  }

  /** One letter a key, and how long the slowest took in microseconds. */
  private String check(String filter, String how, List<Long> ids) {
    BloomGuard<Object> asked = guards.guard(filter);
    StringBuilder letters = new StringBuilder();
    long slowest = 0;
    if (how.equals("together")) {
      long begin = System.nanoTime();
      asked.checkAll(ids).forEach(answer -> letters.append(letter(answer)));
      slowest = System.nanoTime() - begin;
    } else {
      for (long id : ids) {
        long begin = System.nanoTime();
        letters.append(letter(asked.check(id)));
        slowest = Math.max(slowest, System.nanoTime() - begin);
      }
    }
    return letters + " " + TimeUnit.NANOSECONDS.toMicros(slowest);
  }

  private String insert(String how, long id) {
    switch (how) {
      case "annotated" -> shop.insertAnnotated(id);
      case "alone" -> shop.insertAlone(id);
      case "put" -> shop.insertByPut(id);
      case "lazy" -> lazily.getObject().insert(id);
      case "prototype" -> prototypes.getObject().insert(id);
      default -> shop.insertByWrite(id);
    }
    return "ok";
  }

  private String held(String filter, long id) {
    shop.insertHeld(filter, id);
    return "ok";
  }

  private String released(long id) {
    shop.release(id);
    return "ok";
  }

  private String died(String moment, long id) {
    shop.insertAndDie(moment, id);
    return "alive";
  }

  private String put(long id) {
    guard.put(id);
    return "ok";
  }

  private String added(String filter, long id) {
    guards.guard(filter).put(id);
    return "ok";
  }

  /** What becomes of rows that come and go. */
  private String code(String what, List<Long> ids) {
    switch (what) {
      case "insert" -> codes.insert(ids.get(0));
      case "delete" -> codes.delete(ids);
      case "keep" -> codes.rollBack(ids);
      case "hold" -> codes.deleteHeld(ids);
      case "die" -> codes.deleteAndDie(ids);
      default -> throw new IllegalArgumentException("unknown command");
    }
    return "ok";
  }

  private String get(long id, long holdMillis) {
    String value = guard.get(id, () -> row(id, holdMillis));
    return value == null ? "null" : "value";
  }

  private String row(long id, long holdMillis) {
    String row = products.load(id, holdMillis);
    return row.isEmpty() ? null : row;
  }

  private String paused(long millis) {
    keys.pause(millis);
    return "ok";
  }

  private static char letter(Membership answer) {
    return answer.name().charAt(0);
  }

  private static long id(String word) {
    return Long.parseLong(word);
  }

  private static List<Long> ids(String word) {
    return Arrays.stream(word.split(",")).map(Long::valueOf).toList();
  }
}
