const ofBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone
let zone = ofBrowser

/** The time zone of the open space, in which documents' times and dates are shown. */
export const spaceZone = () => zone

/** Sets the time zone of the open space; the browser's own without one, or if the browser does not know the zone. */
export function openSpaceZone(name: string | undefined): string {
  zone = ofBrowser
  try {
    if (name) zone = Intl.DateTimeFormat('en', { timeZone: name }) && name
  } catch {}
  return zone
}
