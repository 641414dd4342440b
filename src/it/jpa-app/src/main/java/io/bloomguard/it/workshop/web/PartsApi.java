package io.bloomguard.it.workshop.web;

import io.bloomguard.it.workshop.data.PartPrice;
import io.bloomguard.it.workshop.data.PartRepository;
import io.bloomguard.it.workshop.model.Part;
import io.bloomguard.it.workshop.service.Catalogue;
import io.bloomguard.it.workshop.service.NotFoundException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.PositiveOrZero;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Parts for other programs. */
@RestController
@RequestMapping("/api/parts")
class PartsApi {

  private final Catalogue catalogue;
  private final PartRepository parts;

  PartsApi(Catalogue catalogue, PartRepository parts) {
    this.catalogue = catalogue;
    this.parts = parts;
  }

  @GetMapping("/{number}")
  PartPrice get(@PathVariable String number) {
    return catalogue
        .price(number)
        .orElseThrow(() -> new NotFoundException("There is no such part"));
  }

  @GetMapping
  List<PartPrice> some(@RequestParam List<String> number) {
    return parts.findAllById(number).stream().map(PartsApi::price).toList();
  }

  @PutMapping("/{number}")
  PartPrice put(@PathVariable String number, @RequestBody @Valid NewPart part) {
    return price(parts.save(new Part(number, part.label(), part.cents())));
  }

  @DeleteMapping("/{number}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void delete(@PathVariable String number) {
    if (!catalogue.sells(number)) {
      throw new NotFoundException("There is no such part");
    }
    parts.deleteById(number);
  }

  /** A part without its number. */
  record NewPart(@NotBlank String label, @PositiveOrZero int cents) {}

  private static PartPrice price(Part part) {
    return new PartPrice(part.getNumber(), part.getLabel(), part.getCents());
  }
}
