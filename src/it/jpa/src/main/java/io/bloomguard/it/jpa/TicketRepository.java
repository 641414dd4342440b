package io.bloomguard.it.jpa;

import org.springframework.data.jpa.repository.JpaRepository;

/** Guarded by the service that uses it. */
interface TicketRepository extends JpaRepository<Ticket, Long> {}
