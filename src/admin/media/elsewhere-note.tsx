import { Anchor, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslations } from 'use-intl'
import type { Asset } from '#shared/contract/assets.ts'

/**
 * A note on an asset that was imported without its file. Sites receive the asset's old URL until the file is replaced.
 */
export function ElsewhereNote({ asset }: { asset: Pick<Asset, 'src'> }) {
  const t = useTranslations('assets')
  return (
    <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
      <IconAlertTriangle size={12} aria-hidden="true" /> {t('elsewhere')}{' '}
      <Anchor href={asset.src} target="_blank" rel="noopener noreferrer" size="xs">
        {asset.src}
      </Anchor>
    </Text>
  )
}
