import type { ReactNode } from 'react'
import { useFormatter, useTranslations } from 'use-intl'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { useFileSize } from '#admin/ui/file-size.ts'
import type { Asset } from '#shared/contract/assets.ts'
import classes from './asset-drawer.module.css'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Read-only facts about the file, such as size, colours and camera metadata. */
export function Facts({ asset }: { asset: Asset }) {
  const t = useTranslations('assets.facts')
  const size = useFileSize()
  const format = useFormatter()
  const { metadata, width, height, createdBy, updatedBy } = asset
  const nameOf = usePersonName()
  const time = (iso: string) => format.dateTime(new Date(iso), { dateStyle: 'medium', timeStyle: 'short' })
  const by = (iso: string, person: { name: string } | null) =>
    person ? t('by', { time: time(iso), name: nameOf(person) ?? '' }) : time(iso)

  const rows: [string, ReactNode][] = [
    [t('type'), asset.fileType],
    [t('size'), size(asset.fileSize)],
  ]
  if (width !== null && height !== null) rows.push([t('dimensions'), `${width} × ${height} px`])
  if (typeof metadata.duration === 'number') rows.push([t('duration'), clock(metadata.duration)])
  if (Array.isArray(metadata.colors) && metadata.colors.length > 0)
    rows.push([t('colors'), <Colors key="colors" colors={metadata.colors} />])
  rows.push([t('created'), by(asset.createdAt, createdBy)])
  rows.push([t('updated'), by(asset.updatedAt, updatedBy)])
  const exif = isRecord(metadata.exif) ? Object.entries(metadata.exif) : []
  for (const [name, value] of exif)
    if (typeof value === 'string' || typeof value === 'number') {
      const key = `exif.${name}` as 'exif.Make'
      rows.push([t.has(key) ? t(key) : name, String(value)])
    }

  return (
    <dl className={classes.facts}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Colors({ colors }: { colors: unknown[] }) {
  const known = colors.filter(
    (color): color is string => typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color),
  )
  return (
    <span className={classes.colors}>
      {known.map((color) => (
        <span key={color}>
          <span className={classes.swatch} style={{ background: color }} aria-hidden="true" />
          {color}
        </span>
      ))}
    </span>
  )
}

/** Formats seconds as 1:02:03, or as 2:03 below one hour. */
function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
