import { visitorLanguage } from '#admin/i18n/visitor-language.ts'
import { Mark } from '#admin/ui/mark.tsx'
import classes from './loading-screen.module.css'

// The screen is shown before any catalogue is loaded, so its two messages are part of the code.
const texts = {
  ja: { loading: '読み込み中', retrying: 'サーバーに接続できません。5秒ごとに再試行しています' },
  en: { loading: 'Loading', retrying: 'The server cannot be reached. Trying again every 5 seconds' },
}

const turns = Array.from({ length: 12 }, (_, turn) => turn)

/** Shown until the account is checked and the texts are loaded: triangles that circle the logo like ripples. */
export function LoadingScreen({ retrying = false }: { retrying?: boolean }) {
  const text = texts[visitorLanguage()]
  return (
    <main className={classes.screen}>
      <div className={classes.art}>
        <svg className={classes.triangles} viewBox="-72 -72 144 144" aria-hidden="true">
          {turns.map((turn) => (
            <g key={turn} transform={`rotate(${turn * 30}) translate(0 -58)`}>
              <polygon
                className={classes.triangle}
                data-warm={turn % 3 === 0 || undefined}
                style={{ '--turn': turn } as React.CSSProperties}
                points="0,-8 8,6 -8,6"
              />
            </g>
          ))}
        </svg>
        <Mark size={68} />
      </div>
      <p className={classes.note} role="status">
        {retrying ? text.retrying : text.loading}
      </p>
    </main>
  )
}
