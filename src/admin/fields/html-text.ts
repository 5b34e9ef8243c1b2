import { htmlToText } from '#shared/fields/html-text.ts'

/**
 * Returns the plain text of HTML that may not be sanitised; the server's conversion is the same. The HTML is only
 * parsed: nothing in it runs or loads.
 */
export const parsedHtmlToText = (html: string): string =>
  html === '' ? '' : htmlToText(new DOMParser().parseFromString(html, 'text/html').body.innerHTML)
