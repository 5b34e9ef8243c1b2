import { ActionIcon } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { Asset } from '#shared/contract/assets.ts'
import { titleOfAsset } from '../asset-words.ts'
import { Thumbnail } from '../thumbnail.tsx'
import classes from './picker.module.css'

interface ChosenAssetsProps {
  assets: readonly Asset[]
  onMove: (from: number, to: number) => void
}

/** The selected assets in order, with buttons to reorder them. */
export function ChosenAssets({ assets, onMove }: ChosenAssetsProps) {
  const t = useTranslations('assets.picker')
  return (
    <ol className={classes.chosen} aria-label={t('order')}>
      {assets.map((asset, index) => {
        const name = titleOfAsset(asset)
        return (
          <li key={asset._id}>
            <span className={classes.chosenPicture} title={name}>
              <Thumbnail asset={asset} cover small />
            </span>
            <span className={classes.moves}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={index === 0}
                aria-label={t('earlier', { name })}
                onClick={() => onMove(index, index - 1)}
              >
                <IconChevronLeft size={14} />
              </ActionIcon>
              <span>{index + 1}</span>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={index === assets.length - 1}
                aria-label={t('later', { name })}
                onClick={() => onMove(index, index + 1)}
              >
                <IconChevronRight size={14} />
              </ActionIcon>
            </span>
          </li>
        )
      })}
    </ol>
  )
}
