package io.bloomguard.it.faults.shop;

import io.bloomguard.guard.internal.EntryGuard;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.KeyWrites;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The ways in which applications insert a row and tell the filter. */
@Service
public class Shop {

  private static final long LONGEST_HOLD_SECONDS = 120;

  private final Products products;
  private final TransactionTemplate transactions;
  private final EntryGuard<String> guard;
  private final Map<Long, CountDownLatch> held = new ConcurrentHashMap<>();

  private final Set<Long> open = ConcurrentHashMap.newKeySet();

  Shop(Products products, TransactionTemplate transactions, EntryGuards guards) {
    this.products = products;
    this.transactions = transactions;
    this.guard = guards.guard("products", String.class);
  }

  /** {@code @BloomPut} on a method inside a transaction. */
  void insertAnnotated(long id) {
    transactions.executeWithoutResult(status -> products.insert(id, () -> {}));
  }

  /** {@code @BloomPut} on a method without a transaction. */
  void insertAlone(long id) {
    products.insert(id, () -> {});
  }

  /** {@code BloomGuard.put} inside a transaction. */
  void insertByPut(long id) {
    transactions.executeWithoutResult(
        status -> {
          guard.put(id);
          products.insertRow(id);
        });
  }

  /** {@code KeyWrites.beginWrites} around a transaction. */
  void insertByWrite(long id) {
    try (KeyWrites.Write write = guard.writes().beginWrites(List.of(id), List.of())) {
      transactions.executeWithoutResult(
          status -> {
            products.insertRow(id);
            write.renew();
          });
    }
  }

  /** Leaves the transaction open until {@link #release}. */
  void insertHeld(String filter, long id) {
    transactions.executeWithoutResult(
        status -> {
          if (filter.equals("brief")) {
            products.insertBrief(id);
          } else {
            products.insert(id, () -> {});
          }
          hold(id);
        });
  }

  /** Waits until {@link #release}. */
  void hold(long id) {
    CountDownLatch latch = held.computeIfAbsent(id, key -> new CountDownLatch(1));
    open.add(id);
    await(latch);
  }

  /** Whether a transaction has come to where it waits. */
  boolean isHeld(long id) {
    return open.contains(id);
  }

  void release(long id) {
    held.computeIfAbsent(id, key -> new CountDownLatch(1)).countDown();
  }

  /** Inserts a row in a process that ends as if it were killed at the given moment. */
  void insertAndDie(String moment, long id) {
    transactions.executeWithoutResult(
        status -> {
          if (moment.equals("committed")) {
            TransactionSynchronizationManager.registerSynchronization(
                new TransactionSynchronization() {
                  @Override
                  public void afterCommit() {
                    die();
                  }
                });
          }
          products.insert(id, moment.equals("added") ? Shop::die : () -> {});
          if (moment.equals("inserted")) {
            die();
          }
        });
  }

  static void die() {
    Runtime.getRuntime().halt(137);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(LONGEST_HOLD_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
