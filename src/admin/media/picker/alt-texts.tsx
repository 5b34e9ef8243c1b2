import { Text, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Asset } from '#shared/contract/assets.ts'
import { titleOfAsset } from '../asset-words.ts'
import { Thumbnail } from '../thumbnail.tsx'
import classes from './picker.module.css'

interface AltTextsProps {
  /** Selected pictures without an alternative text. */
  assets: readonly Asset[]
  /** The texts entered so far, by `_id`. */
  texts: ReadonlyMap<string, string>
  onText: (id: string, text: string) => void
}

/** Inputs for missing alternative texts at the time of selection, when the user knows the picture's purpose. */
export function AltTexts({ assets, texts, onText }: AltTextsProps) {
  const t = useTranslations('assets.picker')
  if (assets.length === 0) return null
  return (
    <section className={classes.alts} aria-label={t('altTexts')}>
      <Text size="sm" c="dimmed">
        {t('altHint')}
      </Text>
      {assets.map((asset) => (
        <div key={asset._id} className={classes.alt}>
          <span className={classes.altPicture}>
            <Thumbnail asset={asset} cover small />
          </span>
          <TextInput
            className={classes.altInput}
            aria-label={t('altOf', { name: titleOfAsset(asset) })}
            placeholder={t('altPlaceholder')}
            value={texts.get(asset._id) ?? ''}
            maxLength={1000}
            onChange={(event) => onText(asset._id, event.currentTarget.value)}
          />
        </div>
      ))}
    </section>
  )
}
