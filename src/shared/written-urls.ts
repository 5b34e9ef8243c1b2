/*
 * Patterns for the end of a URL in running text. Japanese text may follow a URL without a space:
 * `https://example.com/を見て`.
 */

const japanese = String.raw`\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Han}`

/** Full-width and Japanese characters, which end a URL: the inside of a character class with the flag `u`. */
export const endingUrl = String.raw`\u2010-\u205e\u3000-\u303f\uff00-\uffef\p{Extended_Pictographic}${japanese}`

/**
 * Matches Japanese text inside a URL, as a pattern with the flag `u`. The text is between two delimiters, and the URL
 * continues after it: `/池?a=1`, `//日本語.jp`.
 */
export const japaneseInUrl = String.raw`(?<=[\/.=?&#])[${japanese}]+(?=[\/.=?&#-][^\s<>"'${endingUrl}])`
