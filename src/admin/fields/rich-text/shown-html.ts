import { applyHtmlPolicy, withoutNames } from '../html-policy.ts'

/** The same to look at: players have their controls and wait, links lead nowhere, frames and names are left out. */
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
