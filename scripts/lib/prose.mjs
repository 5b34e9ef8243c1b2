/*
 * Words that comments, titles of tests and commit subjects do not use. They follow the rules on actors, things,
 * beginnings and verbs in the section "Prose" of CONTRIBUTING.md, as far as a pattern can recognise them.
 */

/** Standard terms that contain a listed word. They are not reported. */
const allowed = [
  /\bstands? for\b/gi,
  /\bstand-?ins?\b/gi,
  /\bbehind (?:a|the|an?other|one|its|several) (?:reverse |trusted )?(?:prox(?:y|ies)|load balancer|CDN|flag)\b/gi,
  /\b(?:holds?|held|holding)(?= (?:\S+ ){0,4}(?:locks?|connections?|transactions?|slots?|mutex|lease)\b)/gi,
  /\block (?:is|are|was|were|be) held\b/gi,
  /\bon hold\b/gi,
  /\bgives? up\b|\bgave up\b|\bgiven up\b/gi,
  /\btell(?:s)? apart\b/gi,
]

const words = [
  { pattern: /\b(?:whoever|whomever|whom|somebody|nobody|someone|no one)\b/gi, advice: 'name the actor' },
  { pattern: /\b(?:of|for|by|to|from|with|about|than|and|or|as) who\b/gi, advice: 'name the actor' },
  { pattern: /\b(?:that|those) of\b|\b(?:that|which) is none\b/gi, advice: 'name the thing' },
  {
    pattern:
      /\bwhat (?:is|was|are|were|has|had|it|its|they|this|that|these|the|a|an|one|he|can|may|must|would|will|stands?|comes?|came|goes|went|does|did|people|others?|users?)\b/gi,
    advice: 'name the thing',
  },
  {
    pattern: /(?<=^\s*|[.:!?;]\s+)(?:Of|To|What|Whoever|Whom|Whose|Where|Those)\b/g,
    advice: 'begin with a subject or verb',
  },
  { pattern: /\bany ?more\b/gi, advice: 'write "no longer"' },
  { pattern: /\b(?:so|as) (?:many|much)\b(?! as)|\btoo much\b/gi, advice: 'name the limit' },
  { pattern: /\b(?:tells?|told|telling)\b/gi, advice: 'report, return, show, log' },
  { pattern: /\b(?:stands?|stood|standing)\b(?! alone)/gi, advice: 'is, is stored, is listed' },
  { pattern: /\b(?:lies|lay|lain|lying)\b/gi, advice: 'is, is stored' },
  { pattern: /\b(?:brings?|brought|bringing)\b/gi, advice: 'import, add, cause' },
  { pattern: /\b(?:forgets?|forgot|forgotten|forgetting)\b/gi, advice: 'delete, evict, omit' },
  { pattern: /\blook(?:s|ed|ing)? (?:at|after)\b/gi, advice: 'read, check' },
  { pattern: /\bask(?:s|ed|ing)? (?:of|after)\b/gi, advice: 'query, require' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, advice: 'fix' },
  { pattern: /\b(?:holds?|held|holding)\b/gi, advice: 'lock, contain, apply' },
  { pattern: /\b(?:gives?|gave|giving)\b/gi, advice: 'grant, return, set' },
  { pattern: /\bmade (?:of|from)\b/gi, advice: 'built from, created from' },
  { pattern: /\bbesides?\b/gi, advice: 'next to, except, in addition to' },
  { pattern: /\bbehind\b/gi, advice: 'after' },
  { pattern: /\b(?:goes|went|going|go) (?:on|away|along)\b|\bgone\b/gi, advice: 'continue, be deleted' },
  { pattern: /\b(?:one's|by itself|by themselves|for good|at once)\b/gi, advice: 'say it literally' },
]

/** Lets each space of a pattern match any white space. */
const acrossLines = ({ source, flags }) => new RegExp(source.replaceAll(' ', '\\s+'), flags)

/**
 * Returns the words of a text that the list names, each with its offset and what to write instead. Code in backticks
 * and quotations in double quotes are skipped.
 */
export function wordsToAvoid(text) {
  const blank = (found) => ' '.repeat(found.length)
  let plain = text
    .replace(/^\s*(?:\/\/|\/\*+|--)|\n[ \t]*(?:\/\/|\*|--)?/g, blank)
    .replace(/`[^`]*`|"[^"]*"|“[^”]*”|\{@link [^}]*\}/g, (found) => 'x'.repeat(found.length))
  for (const phrase of allowed) plain = plain.replace(acrossLines(phrase), blank)
  return words
    .flatMap(({ pattern, advice }) =>
      [...plain.matchAll(acrossLines(pattern))].map(({ 0: word, index }) => ({ word, index, advice })),
    )
    .sort((one, other) => one.index - other.index)
}

/** Returns the numbers of the first and the last line of a part of a text, counted from 1. */
export function lineRange(text, { start, end }) {
  const lineAt = (offset) => text.slice(0, offset).split('\n').length
  return { first: lineAt(start), last: lineAt(end - 1) }
}

const maxSubjectLength = 72
const subject = /^(?:feat|fix|refactor|perf|test|docs|build|ci|chore|revert)(?:\([\w-]+\))?!?: \S/

/** Returns the rules that the subject of a commit breaks: Conventional Commits, at most 72 characters, plain words. */
export function subjectFaults(text) {
  return [
    ...(subject.test(text) ? [] : ['begin with `type(scope): `']),
    ...(text.length > maxSubjectLength ? [`use at most ${maxSubjectLength} characters`] : []),
    ...wordsToAvoid(text).map(({ word, advice }) => `"${word.trim()}": ${advice}`),
  ]
}
