package io.bloomguard.it.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One annotation on the entity, one on each lookup, and writes as Spring Data has them. */
@SpringBootTest
class EntityKeyTest {

  @Autowired private LabelRepository labels;
  @Autowired private PlatformTransactionManager transactions;

  @Test
  void everyWayToSaveIsFoundAtOnce() {
    List<Label> saved =
        labels.saveAll(IntStream.range(0, 100).mapToObj(i -> new Label("all-" + i)).toList());
    for (Label label : saved) {
      assertThat(labels.findById(label.getId())).isPresent();
      assertThat(labels.findIdByText(label.getText())).hasValue(label.getId());
    }
    Label flushed = labels.saveAndFlush(new Label("flushed"));
    assertThat(labels.findIdByText("flushed")).hasValue(flushed.getId());
  }

  @Test
  void aChangeIsSeenAtOnceUnderOldAndNewKey() {
    Label label = labels.save(new Label("old"));
    assertThat(labels.findIdByText("old")).hasValue(label.getId());
    assertThat(labels.findIdByText("new")).isEmpty();
    inTransaction(() -> labels.findById(label.getId()).orElseThrow().setText("new"));
    assertThat(labels.findIdByText("old")).isEmpty();
    assertThat(labels.findIdByText("new")).hasValue(label.getId());
    label.setText("detached");
    labels.save(label);
    assertThat(labels.findIdByText("new")).isEmpty();
    assertThat(labels.findIdByText("detached")).hasValue(label.getId());
    labels.deleteAllInBatch(List.of());
    labels.delete(label);
    assertThat(labels.findById(label.getId())).isEmpty();
    assertThat(labels.findIdByText("detached")).isEmpty();
  }

  @Test
  void aTransactionSeesWhatItHasNotFlushed() {
    inTransaction(
        () -> {
          Label label = labels.save(new Label("unflushed"));
          assertThat(labels.findIdByText("unflushed")).hasValue(label.getId());
          label.setText("changed");
          assertThat(labels.findIdByText("unflushed")).isEmpty();
          assertThat(labels.findIdByText("changed")).hasValue(label.getId());
        });
  }

  private void inTransaction(Runnable work) {
    new TransactionTemplate(transactions).executeWithoutResult(status -> work.run());
  }
}
