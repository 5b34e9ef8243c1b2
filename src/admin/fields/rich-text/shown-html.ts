import { applyHtmlPolicy, withoutNames } from '../html-policy.ts'

/**
 * Returns HTML for display only. Players have controls and do not start, `details` are open, and links lose their
 * `href`. Frames, scripts, heading ids, and classes without a meaning in Imori are removed.
 */
export function shownHtml(html: string): DocumentFragment {
  const { content } = applyHtmlPolicy(html)
  withoutNames(content)
  for (const foreign of content.querySelectorAll('iframe, script')) foreign.remove()
  for (const link of content.querySelectorAll('a[href]')) link.removeAttribute('href')
  for (const folded of content.querySelectorAll('details')) folded.setAttribute('open', '')
  for (const player of content.querySelectorAll('video, audio')) {
    player.removeAttribute('autoplay')
    player.setAttribute('controls', '')
    player.setAttribute('preload', 'metadata')
  }
  return content
}
