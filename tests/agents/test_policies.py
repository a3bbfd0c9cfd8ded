"""What the networks are told agrees with the position; piles are treated alike; hidden cards play no part."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
import torch
from sb3_contrib import MaskablePPO

from agents.feature_numbers import (
    COVERED,
    IN_RESERVE,
    IN_STOCK,
    IN_WASTE,
    NEXT_IN_STOCK,
    ON_FOUNDATION,
    ON_PILE,
    PILE_CARDS,
    PILE_NUMBERS,
    TABLE_NUMBERS,
    TOP_CARD,
    UNSEEN,
    WASTE_TOP,
)
from agents.features import FeatureReader
from agents.policies import PilePolicy
from solitaire_env import GAMES, ActionTable, Position, SolitaireVectorEnv, encode
from solitaire_env.cards import CARDS_PER_DECK, card_code
from solitaire_env.position import UNKNOWN
from solitaire_env.sb3 import SolitaireVecEnv


def positions(game: str, steps: int = 150, seed: int = 0) -> list[Position]:
    """Positions of random play, all that it comes by."""
    envs = SolitaireVectorEnv(game, 8)
    _, infos = envs.reset(seed=seed)
    generator, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        seen += envs.positions()
        actions = [generator.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in infos["action_mask"]]
        _, _, _, _, infos = envs.step(np.array(actions))
    return seen


def counted(cards: list[str]) -> list[int]:
    numbers = [0] * CARDS_PER_DECK
    for card in cards:
        if card != UNKNOWN:
            numbers[card_code(card)] += 1
    return numbers


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", ["recall", "open", "table"])
def test_features_say_where_the_cards_are(game: str, level: str) -> None:
    rules = GAMES[game]
    for position in positions(game)[::7]:
        known = position.known(level)
        table, piles = FeatureReader(rules).read(encode(rules, position, level)[None])
        assert table.shape == (1, TABLE_NUMBERS)
        assert piles.shape == (1, rules.n_piles, PILE_NUMBERS)

        def of(which: int, numbers: np.ndarray = table[0]) -> list[float]:
            return numbers[which * CARDS_PER_DECK : (which + 1) * CARDS_PER_DECK].tolist()

        waste, stock, reserve = list(known.waste), list(known.stock), list(known.reserve)
        assert of(IN_WASTE) == counted(waste)
        assert of(IN_STOCK) == counted(stock)
        assert of(IN_RESERVE) == counted(reserve)
        assert of(ON_PILE) == counted([card for pile in known.tableau for card in pile])
        assert of(WASTE_TOP) == counted(waste[-1:])
        assert of(NEXT_IN_STOCK) == counted(stock[-1:])
        everywhere = np.array([of(x) for x in (IN_WASTE, IN_STOCK, IN_RESERVE, ON_PILE, ON_FOUNDATION, UNSEEN)])
        assert (everywhere.sum(axis=0) == rules.decks).all()
        covered = [(len(pile) - 1 - i) / 8 for pile in known.tableau for i in range(len(pile))]
        assert sum(of(COVERED)) == pytest.approx(sum(covered))
        for pile, numbers in zip(known.tableau, piles[0], strict=True):
            assert of(TOP_CARD, numbers) == counted(list(pile[-1:]))
            assert of(PILE_CARDS, numbers) == [min(1, n) for n in counted(list(pile))]


@pytest.mark.parametrize("game", GAMES)
def test_features_know_no_hidden_card(game: str) -> None:
    """Nothing but the observation goes in, and it stays the same when unseen cards change places (K4)."""
    rules = GAMES[game]
    for position in positions(game, 20)[::5]:
        unseen = [i for i, card in enumerate(position.known("recall").stock) if card == UNKNOWN]
        stock = list(position.stock)
        stock[unseen[0]], stock[unseen[-1]] = stock[unseen[-1]], stock[unseen[0]]
        other = Position(**{**vars(position), "stock": tuple(stock)})
        for a, b in zip(*(FeatureReader(rules).read(encode(rules, x)[None]) for x in (position, other)), strict=True):
            assert (a == b).all()


def test_a_foreign_observation_does_no_harm() -> None:
    reader = FeatureReader(GAMES["courtyard"])
    noise = np.random.default_rng(0).integers(0, 2, (64, 1782)).astype(np.uint8)
    assert all(np.isfinite(part).all() for part in reader.read(noise))


@pytest.fixture(scope="module", params=GAMES)
def model(request: pytest.FixtureRequest) -> MaskablePPO:
    env = SolitaireVecEnv(request.param, 4, seed=0)
    kwargs = {"game": request.param, "width": 32, "pile_width": 16, "pair_width": 8}
    return MaskablePPO(PilePolicy, env, n_steps=16, batch_size=32, policy_kwargs=kwargs, seed=0, device="cpu")


def test_scores_go_with_the_piles(model: MaskablePPO) -> None:
    """Two piles change places: the scores of their actions do the same, all others and the value stay."""
    policy = model.policy.double()
    game = policy._game
    rules, actions = GAMES[game], ActionTable(GAMES[game])
    with torch.no_grad():  # fresh scores are all but equal
        for parameter in policy.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    places = list(range(rules.n_piles))
    places[0], places[2] = 2, 0
    moved = []
    for index in range(actions.n):
        action = actions.decode(index)
        source = places[action.source] if action.kind.startswith("pile_") else action.source
        target = places[action.target] if action.kind.endswith("_pile") else action.target
        moved.append(actions.encode(action._replace(source=source, target=target)))
    for position in positions(game)[::31]:
        piles = list(position.tableau)
        piles[0], piles[2] = piles[2], piles[0]
        other = Position(**{**vars(position), "tableau": tuple(piles)})
        inputs = torch.from_numpy(np.stack([encode(rules, x) for x in (position, other)]))
        features = policy.extract_features(inputs)
        scores = policy.action_net(features)
        assert torch.allclose(scores[0], scores[1][moved])
        assert piles[0] == piles[2] or not torch.allclose(scores[0], scores[1])
        values = policy.value_net(features)
        assert torch.allclose(values[0], values[1])


def test_learns_and_survives_saving(model: MaskablePPO, tmp_path: object) -> None:
    model.learn(128)
    model.save(f"{tmp_path}/model.zip")
    again = MaskablePPO.load(f"{tmp_path}/model.zip", device="cpu")
    observations = model.env.reset()
    masks = np.array(model.env.env_method("action_masks"))
    for deterministic in (True, False):
        torch.manual_seed(1)
        expected, _ = model.predict(observations, deterministic=deterministic, action_masks=masks)
        torch.manual_seed(1)
        actions, _ = again.predict(observations, deterministic=deterministic, action_masks=masks)
        assert (actions == expected).all()
