package io.bloomguard.it.jpa;

import io.bloomguard.annotation.BloomEvict;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import java.util.Optional;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The tickets of the application. */
@Service
public class Tickets {

  private final TicketRepository repository;

  Tickets(TicketRepository repository) {
    this.repository = repository;
  }

  @BloomGuarded(filter = "tickets", key = "#id", cache = "tickets")
  public Optional<Ticket> find(long id) {
    return repository.findById(id);
  }

  @BloomGuarded(filter = "tickets", key = "#id", cache = "tickets")
  public Optional<TicketView> view(long id) {
    return repository.findById(id).map(ticket -> new TicketView(id, ticket.getTitle()));
  }

  @Transactional
  @BloomPut(filter = "tickets", key = "#result.id")
  public Ticket open(String title) {
    return repository.save(new Ticket(title));
  }

  @Transactional
  @BloomPut(filter = "tickets", key = "#id")
  public void rename(long id, String title) {
    repository.findById(id).orElseThrow().setTitle(title);
  }

  @Transactional
  @BloomEvict(filter = "tickets", key = "#id")
  public void close(long id) {
    repository.deleteById(id);
  }
}
