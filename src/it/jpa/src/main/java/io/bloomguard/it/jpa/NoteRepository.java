package io.bloomguard.it.jpa;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;

/** Annotated where Spring Data's own methods are declared anew. */
public interface NoteRepository extends JpaRepository<Note, Long> {

  @Override
  @BloomGuarded(filter = "notes", key = "#id")
  Optional<Note> findById(Long id);

  /** Within the caller's transaction or one of the guard's: the result alone tells the id. */
  @Override
  @BloomPut(filter = "notes", key = "#result.id")
  <S extends Note> S save(S note);

  @Override
  @BloomEvict(filter = "notes", key = "#p0")
  void deleteById(Long id);
}
