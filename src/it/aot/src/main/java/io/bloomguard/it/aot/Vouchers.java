package io.bloomguard.it.aot;

import io.bloomguard.annotation.BloomGuarded;
import java.util.Optional;
import org.springframework.data.repository.ListCrudRepository;

/** A repository, which has a proxy of Spring Data's and around it the guard's. */
public interface Vouchers extends ListCrudRepository<Voucher, Long> {

  @BloomGuarded(filter = "vouchers", key = "#code")
  Optional<Voucher> findByCode(String code);
}
