/** An app of an archive that is meant, and what it is called on the server. */
export interface NamedApp {
  from: string
  /** Undefined: as the archive, or the plan, calls it. */
  uid: string | undefined
}

/** `--app blog`, or `--app blog=blog-2` for one that has another uid on the server. */
export function readNamedApps(given: readonly string[]): NamedApp[] {
  return given.map((text) => {
    const at = text.indexOf('=')
    return at < 0 ? { from: text, uid: undefined } : { from: text.slice(0, at), uid: text.slice(at + 1) }
  })
}

/** The archive has no app of that uid, but these. */
export class NoSuchApp extends Error {
  readonly app: string
  readonly apps: readonly string[]
  constructor(app: string, apps: readonly string[]) {
    super(app)
    this.app = app
    this.apps = apps
  }
}

/** Throws NoSuchApp for the first that is not among these. */
export function requireKnown(named: readonly NamedApp[], apps: readonly string[]): void {
  const unknown = named.find(({ from }) => !apps.includes(from))
  if (unknown) throw new NoSuchApp(unknown.from, apps)
}
