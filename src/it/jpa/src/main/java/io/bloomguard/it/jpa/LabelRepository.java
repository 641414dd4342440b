package io.bloomguard.it.jpa;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

/** Its lookups are annotated; its writes are those of the entity. */
public interface LabelRepository extends JpaRepository<Label, Long> {

  @Override
  @BloomGuarded(filter = "labels", key = "#id")
  Optional<Label> findById(Long id);

  @BloomGuarded(filter = "label-texts", key = "#text")
  @Query("select label.id from Label label where label.text = :text")
  Optional<Long> findIdByText(String text);
}
