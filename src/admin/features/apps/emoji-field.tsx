import { ActionIcon, Group, Input } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { EmojiBox } from '#admin/ui/emoji-box.tsx'

const suggestedEmoji = ['📝', '📰', '📣', '📚', '🛍️', '🏠', '👥', '📷', '🎪', '🍽️', '💬', '🌱']

/** An input for an app's emoji, which can be typed or picked. An empty value means no emoji. */
export function EmojiField({ value, onChange }: { value: string; onChange: (next: string) => void }) {
  const t = useTranslations('apps')
  return (
    <Input.Wrapper label={t('icon')} description={t('iconHint')} labelElement="div">
      <Group gap={4}>
        <EmojiBox value={value} onChange={onChange} aria-label={t('icon')} />
        {suggestedEmoji.map((emoji) => (
          <ActionIcon
            key={emoji}
            size={36}
            variant={emoji === value ? 'light' : 'subtle'}
            color={emoji === value ? 'mizu' : 'gray'}
            aria-label={t('useIcon', { emoji })}
            aria-pressed={emoji === value}
            onClick={() => onChange(emoji === value ? '' : emoji)}
          >
            <span style={{ fontSize: 18 }}>{emoji}</span>
          </ActionIcon>
        ))}
      </Group>
    </Input.Wrapper>
  )
}
