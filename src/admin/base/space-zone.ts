const ofBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone
let zone = ofBrowser

/** Returns the time zone of the open space, in which its pages show times. */
export const spaceZone = () => zone

/**
 * Sets the time zone of the open space and returns it. Falls back to the browser's time zone if `name` is undefined or
 * the browser does not support it.
 */
export function openSpaceZone(name: string | undefined): string {
  zone = ofBrowser
  try {
    if (name) zone = Intl.DateTimeFormat('en', { timeZone: name }) && name
  } catch {}
  return zone
}
