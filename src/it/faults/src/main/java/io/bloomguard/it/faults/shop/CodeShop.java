package io.bloomguard.it.faults.shop;

import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The ways in which applications delete rows whose filter counts. */
@Service
class CodeShop {

  private final Codes codes;
  private final Shop shop;
  private final TransactionTemplate transactions;

  CodeShop(Codes codes, Shop shop, TransactionTemplate transactions) {
    this.codes = codes;
    this.shop = shop;
    this.transactions = transactions;
  }

  void insert(long id) {
    transactions.executeWithoutResult(status -> codes.insert(id));
  }

  void delete(List<Long> ids) {
    transactions.executeWithoutResult(status -> codes.delete(ids));
  }

  /** The rows stay, and so must their keys. */
  void rollBack(List<Long> ids) {
    transactions.executeWithoutResult(
        status -> {
          codes.delete(ids);
          status.setRollbackOnly();
        });
  }

  /** Commits, and removes the keys only after the release of the first id. */
  void deleteHeld(List<Long> ids) {
    delete(ids, () -> shop.hold(ids.get(0)));
  }

  /** Commits in a process that ends before it has removed a key. */
  void deleteAndDie(List<Long> ids) {
    delete(ids, Shop::die);
  }

  private void delete(List<Long> ids, Runnable committed) {
    transactions.executeWithoutResult(
        status -> {
          TransactionSynchronizationManager.registerSynchronization(
              new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                  committed.run();
                }
              });
          codes.delete(ids);
        });
  }
}
