import { type AskOptions, type Embeddable, inAttribute } from './oembed.ts'

/** The URL of a player, and the `allow` value that the service uses for its frame. */
interface Player {
  provider: string
  src: string
  allow: string
}

const id = /^[\w-]{6,40}$/
const youTubeHosts = [
  'www.youtube.com',
  'youtube.com',
  'm.youtube.com',
  'youtu.be',
  'www.youtube-nocookie.com',
]
const vimeoHosts = ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com']

/**
 * Creates the embed code for a YouTube or Vimeo URL without a request to the service, for installations that cannot
 * reach it. The frame's title is the service's name, because only the service has the video's title. Returns null for
 * URLs without a video or playlist of these services.
 */
export function ownCode(
  url: URL,
  { maxWidth, maxHeight }: Pick<AskOptions, 'maxWidth' | 'maxHeight'>,
): Embeddable | null {
  const player = youTube(url) ?? vimeo(url)
  if (!player) return null
  const width = Math.min(maxWidth ?? 560, Math.round(((maxHeight ?? 315) * 16) / 9))
  const height = Math.round((width * 9) / 16)
  const embeddedCode =
    `<iframe src="${inAttribute(player.src)}" width="${width}" height="${height}" title="${player.provider}" ` +
    `allow="${player.allow}" referrerpolicy="strict-origin-when-cross-origin" allowfullscreen></iframe>`
  return { embeddedCode, title: '', provider: player.provider }
}

function youTube({ host, pathname, searchParams }: URL): Player | null {
  if (!youTubeHosts.includes(host)) return null
  const [kind, named] = pathname.slice(1).split('/')
  const list = searchParams.get('list')
  const video =
    host === 'youtu.be'
      ? kind
      : kind === 'watch'
        ? searchParams.get('v')
        : ['shorts', 'live', 'embed'].includes(kind ?? '')
          ? named
          : undefined
  const src =
    video && id.test(video)
      ? `https://www.youtube.com/embed/${video}?feature=oembed${startOf(searchParams)}`
      : kind === 'playlist' && list && id.test(list)
        ? `https://www.youtube.com/embed/videoseries?list=${list}`
        : null
  const allow =
    'accelerometer; autoplay; clipboard-write; encrypted-media; gyroscope; picture-in-picture; web-share'
  return src === null ? null : { provider: 'YouTube', src, allow }
}

/** Converts `t=1m30s`, `t=90` and `start=90` to the player's `start` parameter in seconds. */
function startOf(search: URLSearchParams): string {
  const said = search.get('t') ?? search.get('start') ?? ''
  const [, h = 0, m = 0, s = 0] = /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s?)?$/.exec(said) ?? []
  const seconds = Number(h) * 3600 + Number(m) * 60 + Number(s)
  return seconds > 0 ? `&start=${seconds}` : ''
}

function vimeo({ host, pathname, searchParams }: URL): Player | null {
  if (!vimeoHosts.includes(host)) return null
  const [, video, inPath] = /^\/(?:video\/)?(\d{4,12})(?:\/([\da-f]{6,20}))?\/?$/.exec(pathname) ?? []
  if (!video) return null
  // Unlisted videos require their hash.
  const hash = inPath ?? searchParams.get('h') ?? ''
  const src = `https://player.vimeo.com/video/${video}${/^[\da-f]{6,20}$/.test(hash) ? `?h=${hash}` : ''}`
  return {
    provider: 'Vimeo',
    src,
    allow: 'autoplay; fullscreen; picture-in-picture; clipboard-write; encrypted-media',
  }
}
