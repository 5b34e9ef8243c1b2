const ofBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone
let zone = ofBrowser

/** The time zone of the space that is open: of its documents' times, and of the days they fall on. */
export const spaceZone = () => zone

/** Tells which space is open; without one, and for a zone that this browser does not know, it is the browser's. */
export function openSpaceZone(name: string | undefined): string {
  zone = ofBrowser
  try {
    if (name) zone = Intl.DateTimeFormat('en', { timeZone: name }) && name
  } catch {}
  return zone
}
