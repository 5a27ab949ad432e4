// Reads what `columnar.py` writes: columns of a table, deflated.
"use strict";
const columnar = (function () {
  const collator = new Intl.Collator("en", { numeric: true });

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }

  // Three digits, at most six decimals, as everywhere in searchlab.
  function figure(number) {
    if (!Number.isFinite(number)) return "infinite";
    const size = number ? Math.floor(Math.log10(Math.abs(number))) : 0;
    const digits = Math.min(6, Math.max(0, 2 - size));
    return number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }

  // A column: `at(row)` is the cell as a value, `text(row)` for people, `csv(row)` for programs, null and "" if missing.
  function column(data) {
    const isSame = "same" in data, { kind, name, words } = data;
    const raw = (row) => (isSame ? data.same : data.values[row]);
    const at = {
      text: (row) => { const place = raw(row); return place === null ? null : words[place]; },
      number: (row) => { const value = raw(row); return typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value; },
      flag: (row) => { const value = raw(row); return value === null ? null : Boolean(value); },
      time: (row) => { const value = raw(row); return value === null ? null : value + data.from; },
    }[kind];
    const moment = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
    const shown = {
      text: (value) => value, flag: (value) => (value ? "yes" : "no"), time: moment,
      number: (value) => (data.whole ? value.toLocaleString("en") : figure(value)),
    }[kind];
    const written = { time: (value) => moment(value).replace(" ", "T") + "Z" }[kind] ?? String;
    // Numbers by which rows are sorted; of texts the rank of the word.
    let ranks = null;
    function rank(row) {
      if (kind !== "text") return at(row) === null ? null : Number(at(row));
      if (!ranks) {
        ranks = new Array(words.length);
        words.map((word, place) => [word, place]).sort((a, b) => collator.compare(a[0], b[0]))
          .forEach(([, place], k) => { ranks[place] = k; });
      }
      return raw(row) === null ? null : ranks[raw(row)];
    }
    return {
      name, kind, at, rank, raw, words: words ?? [],
      text: (row) => { const value = at(row); return value === null ? "–" : shown(value); },
      csv: (row) => { const value = at(row); return value === null ? "" : written(value); },
    };
  }

  // Conditions as `--where` has them, and words that some text of a run contains. Returns whether a run fits, or throws.
  const TERM = /([^\s"=!<>~]+)(!=|<=|>=|!~|=|<|>|~)("[^"]*"|\S*)|"([^"]*)"|(\S+)/g;
  function filter(text, columns) {
    const tests = [...text.matchAll(TERM)].map(([, name, sign, value, quoted, word]) => {
      if (!sign) {
        const texts = columns.filter((each) => each.kind === "text").map((each) => contains(each, [quoted ?? word]));
        return (row) => texts.some((fits) => fits(row));
      }
      const of = columns.find((each) => each.name === name);
      if (!of) throw new Error(`there is no column ${name}`);
      return condition(of, sign, value.replace(/^"|"$/g, ""));
    });
    return (row) => tests.every((fits) => fits(row));
  }

  function contains(of, parts) {
    const wanted = parts.map((part) => part.toLowerCase());
    const fits = of.words.map((word) => wanted.some((part) => word.toLowerCase().includes(part)));
    return (row) => of.raw(row) !== null && fits[of.raw(row)];
  }

  function condition(of, sign, value) {
    const not = (fits) => (row) => !fits(row);
    if (sign.endsWith("~")) {
      if (of.kind !== "text") throw new Error(`${sign} is for text, and ${of.name} is not a column of text`);
      const fits = contains(of, value.split("|"));
      return sign === "~" ? fits : not(fits);
    }
    if (sign === "=" || sign === "!=") {
      const wanted = value === "" ? [null] : value.split("|").map((each) => parsed(of, each));
      const fits = (row) => wanted.includes(of.kind === "time" ? of.csv(row) : of.at(row));
      return sign === "=" ? fits : not(fits);
    }
    if (of.kind === "flag") throw new Error(`${of.name} is yes or no`);
    const bound = of.kind === "number" ? parsed(of, value) : value;
    const own = of.kind === "number" ? of.at : of.csv;
    const compare = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b }[sign];
    return (row) => of.at(row) !== null && compare(own(row), bound);
  }

  function parsed(of, value) {
    if (of.kind === "flag") return ["yes", "true", "1", "on"].includes(value.toLowerCase());
    if (of.kind !== "number") return value;
    const number = Number(value.replaceAll(",", ""));
    if (value === "" || Number.isNaN(number)) throw new Error(`${of.name} is a number, not ${value || "nothing"}`);
    return number;
  }

  // Rows sorted by a column, those without a value last.
  function sorted(rows, of, isDescending) {
    const ranks = new Map(rows.map((row) => [row, of.rank(row)]));
    const sign = isDescending ? -1 : 1;
    return [...rows].sort((a, b) => {
      const [first, second] = [ranks.get(a), ranks.get(b)];
      if (first === null || second === null) return (first === null) - (second === null) || a - b;
      return sign * (first - second) || a - b;
    });
  }

  function csv(rows, columns) {
    const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = rows.map((row) => columns.map((each) => cell(each.csv(row))).join(","));
    return [columns.map((each) => cell(each.name)).join(","), ...lines].join("\n") + "\n";
  }

  return { unpack, column, filter, sorted, csv, figure };
})();
