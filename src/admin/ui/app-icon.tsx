import { IconApps } from '@tabler/icons-react'
import type { App } from '#shared/contract/apps.ts'

/** An app's picture, its emoji, or a generic icon. It is decorative and hidden from screen readers. */
export function AppIcon({ app, size = 20 }: { app: Pick<App, 'icon'>; size?: number }) {
  if (!app.icon) return <IconApps size={size} stroke={1.6} aria-hidden="true" />
  if (app.icon.type === 'image')
    return (
      <img
        src={app.icon.value}
        alt=""
        width={size}
        height={size}
        style={{ borderRadius: '22%', objectFit: 'cover' }}
      />
    )
  return (
    <span aria-hidden="true" style={{ fontSize: size, lineHeight: 1 }}>
      {app.icon.value}
    </span>
  )
}
