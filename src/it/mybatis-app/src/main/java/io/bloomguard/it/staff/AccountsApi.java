package io.bloomguard.it.staff;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Accounts for other programs. */
@RestController
@RequestMapping("/accounts")
class AccountsApi {

  private final Accounts accounts;
  private final AccountMapper mapper;

  AccountsApi(Accounts accounts, AccountMapper mapper) {
    this.accounts = accounts;
    this.mapper = mapper;
  }

  @GetMapping("/{userName}")
  ResponseEntity<Account> get(@PathVariable String userName) {
    return ResponseEntity.ofNullable(mapper.findByUserName(userName));
  }

  @PostMapping
  ResponseEntity<Account> open(@RequestBody Account asked) {
    try {
      return ResponseEntity.status(HttpStatus.CREATED)
          .body(accounts.open(asked.getUserName(), asked.getMail(), asked.getDepartment()));
    } catch (IllegalStateException e) {
      return ResponseEntity.status(HttpStatus.CONFLICT).build();
    }
  }

  @DeleteMapping("/{userName}")
  ResponseEntity<Void> close(@PathVariable String userName) {
    return accounts.close(userName)
        ? ResponseEntity.noContent().build()
        : ResponseEntity.notFound().build();
  }
}
