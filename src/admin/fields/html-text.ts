import { htmlToText } from '#shared/fields/html-text.ts'

/**
 * Returns the plain text of HTML, which need not be sanitised. Uses the same conversion as the server. The HTML is only
 * parsed: nothing in it runs or loads.
 */
export const parsedHtmlToText = (html: string): string =>
  html === '' ? '' : htmlToText(new DOMParser().parseFromString(html, 'text/html').body.innerHTML)
